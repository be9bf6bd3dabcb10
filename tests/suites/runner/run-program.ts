import { spawn } from "node:child_process";

export interface RunOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface RunResult {
  readonly code: number | null;
  /** Standard output and error in the order of arrival. */
  readonly output: string;
}

/** Runs a program to its end; kills it after the timeout. */
export function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { folder, env, timeoutMs } = options;
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  let output = "";
  const keep = (text: string): void => {
    output += text;
  };
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  child.on("error", reject);
  child.on("close", (code) => resolve({ code, output }));
  return promise;
}
