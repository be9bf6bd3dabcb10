/** A command's streams and environment. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard input. Default: the process's standard input. */
  readonly stdin?: AsyncIterable<Uint8Array | string> | undefined;
  /** Working folder. Default: the process's working folder. */
  readonly cwd?: string | undefined;
  /** True if a person can answer questions at the terminal. Default false. */
  readonly isInteractive?: boolean | undefined;
}

export const processIo: Io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
};
