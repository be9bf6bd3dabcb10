/** Where a command writes to, and what it is told. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the process's. */
  readonly stdin?: AsyncIterable<Uint8Array | string> | undefined;
  /** The folder it was called in. Default: the process's. */
  readonly cwd?: string | undefined;
  /** Whether somebody is there to be asked. Default false. */
  readonly isInteractive?: boolean | undefined;
}

export const processIo: Io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
};
