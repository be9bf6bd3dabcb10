/** The duration and exit code of a simulated command. */
export interface SimulatedRun {
  /** Time until the command exits; `Infinity` if it does not exit on its own. */
  readonly runMs: number;
  readonly exitCode: number;
}

const unitSeconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Returns how long a command runs and its exit code. The command must consist of `sleep N` and `exit N`, directly or in
 * a shell script such as `sleep 5; exit 1`. Returns `undefined` for all other commands.
 */
export function simulatedRun(words: readonly string[]): SimulatedRun | undefined {
  const [program = "", flag = "", script, ...more] = words;
  const isScript = /(^|\/)(ba|da|a)?sh$/.test(program) && /^-\w*c$/.test(flag) && more.length === 0;
  const parts = isScript ? (script ?? "").split(/;|&&|\n/) : [words.join(" ")];
  const commands = parts.map((each) => each.trim()).filter(Boolean);
  if (commands.length === 0) return undefined;
  let runMs = 0;
  for (const command of commands) {
    const exit = /^exit (\d+)$/.exec(command)?.[1];
    if (exit !== undefined) return { runMs, exitCode: Number(exit) & 255 };
    const [, seconds, unit = ""] =
      /^(?:\/(?:usr\/)?bin\/)?sleep (\d+(?:\.\d+)?|inf(?:inity)?)([smhd]?)$/.exec(command) ?? [];
    if (seconds === undefined) return undefined;
    runMs +=
      (seconds.startsWith("inf") ? Number.POSITIVE_INFINITY : Number(seconds)) * (unitSeconds[unit] ?? 1) * 1_000;
  }
  return { runMs, exitCode: 0 };
}
