/** Files by path. */
export interface ProcessFiles {
  /** Reports whether there is a file, as opposed to a folder, at a path. */
  has(path: string): boolean;
  isFolder(path: string): boolean;
  read(path: string): string;
  /** Returns the reason for which the process cannot write a file, such as `Read-only file system`. */
  refusal(path: string): string | undefined;
  write(path: string, text: string): void;
  makeFolder(path: string): void;
  remove(path: string): void;
}

/** A program's output and exit code. */
export interface ProgramResult {
  readonly text: string;
  readonly status: number;
}

/** A process's environment. */
export interface ProcessWorld {
  readonly env: ReadonlyMap<string, string>;
  readonly files: ProcessFiles;
  /** Runs a program of the image that ends at once. @returns `undefined` if the image does not contain the program */
  readonly program?: ((name: string, args: readonly string[]) => ProgramResult | undefined) | undefined;
  /** True if the output is needed. Default false. */
  readonly isVisible?: boolean | undefined;
  /** Returns a number in [0, 1). */
  random(): number;
}
