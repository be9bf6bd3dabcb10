import { spawnSync } from "node:child_process";

export interface CommandOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end and returns its standard output. @throws {Error} if it fails */
export function output(program: string, args: readonly string[], { folder, env }: CommandOptions): string {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error) throw new Error(`cannot run ${program}`, { cause: error });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with code ${status}`);
  return stdout;
}
