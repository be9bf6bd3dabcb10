/** When a simulated process ends by itself, and how. */
export interface SimulatedRun {
  readonly runMs: number;
  readonly exitCode: number;
}

/** A command that never ends by itself. */
export const endless = "endless";

/**
 * What a command would do, as far as it is made of `sleep`, `exit`, `true`, `false` and `echo`, in a shell or without one;
 * `undefined` for anything else.
 */
export function simulatedRun(words: readonly string[]): SimulatedRun | typeof endless | undefined {
  const [program = "", flag, script, ...more] = words;
  const isShell = /(^|\/)(ba|da)?sh$/.test(program) && flag === "-c" && script !== undefined && more.length === 0;
  return isShell ? scriptRun(script) : simpleRun(words);
}

function scriptRun(script: string): SimulatedRun | typeof endless | undefined {
  let runMs = 0;
  let exitCode = 0;
  for (const part of script.split(/;|&&|\n/).map((each) => each.trim())) {
    if (part === "") continue;
    const words = part.split(/\s+/);
    const run = simpleRun(words);
    if (run === undefined || run === endless) return run;
    runMs += run.runMs;
    exitCode = run.exitCode;
    if (words[0] === "exit") break;
  }
  return { runMs, exitCode };
}

function simpleRun([program, argument]: readonly string[]): SimulatedRun | typeof endless | undefined {
  switch (program) {
    case "sleep":
      if (argument === "infinity" || argument === "inf") return endless;
      return secondsOf(argument);
    case "exit":
      return { runMs: 0, exitCode: Number.parseInt(argument ?? "0", 10) || 0 };
    case "true":
    case "echo":
      return { runMs: 0, exitCode: 0 };
    case "false":
      return { runMs: 0, exitCode: 1 };
    default:
      return undefined;
  }
}

const unitSeconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3_600, d: 86_400 };

function secondsOf(text: string | undefined): SimulatedRun | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text ?? "");
  return match ? { runMs: Number(match[1]) * (unitSeconds[match[2] ?? ""] ?? 1) * 1_000, exitCode: 0 } : undefined;
}
