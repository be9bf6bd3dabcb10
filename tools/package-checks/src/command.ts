import { spawnSync } from "node:child_process";

export interface CommandOptions {
  readonly cwd: string;
  readonly timeoutMs?: number;
  /** Environment variables. Default: the variables of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a command to its end and returns its standard output.
 *
 * @throws {Error} with its whole output if the exit code is not 0
 */
export function run(command: string, args: readonly string[], options: CommandOptions): string {
  const result = spawnSync(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    encoding: "utf8",
    timeout: options.timeoutMs ?? 300_000,
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  });
  if (result.status === 0) return result.stdout;
  throw new Error(
    `${command} ${args.join(" ")} (in ${options.cwd}) ${result.error?.message ?? `exited with ${result.status}`}\n${result.stdout}\n${result.stderr}`,
  );
}
