/** What a process sees of the world. */
export interface ProcessWorld {
  readonly env: ReadonlyMap<string, string>;
  /** Files by path. */
  readonly files: {
    has(path: string): boolean;
    read(path: string): string;
    write(path: string, text: string): void;
    remove(path: string): void;
  };
  /** Somebody wants to know what it writes. Default: nobody does. */
  readonly isHeard?: boolean;
  /** In [0, 1). */
  random(): number;
}
