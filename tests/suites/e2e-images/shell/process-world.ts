/** A process's environment. */
export interface ProcessWorld {
  readonly env: ReadonlyMap<string, string>;
  /** Files by path. */
  readonly files: {
    has(path: string): boolean;
    read(path: string): string;
    write(path: string, text: string): void;
    remove(path: string): void;
  };
  /** True if the output is needed. Default false. */
  readonly isVisible?: boolean | undefined;
  /** Returns a number in [0, 1). */
  random(): number;
}
