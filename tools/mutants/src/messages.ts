/** Request to the process that runs one package's tests. Paths are absolute. */
export type Question =
  /** Lists the test files. */
  | { readonly type: "specs" }
  /**
   * Runs these test files, in this order, until one of them fails. While they run, the content of `mutant.file` is
   * `mutant.text`.
   */
  | { readonly type: "run"; readonly specs: readonly string[]; readonly mutant?: { file: string; text: string } };

export type TestReport =
  | { readonly type: "specs"; readonly specs: readonly string[] }
  | { readonly type: "ran"; readonly failures: readonly string[]; readonly tookMs: number }
  | { readonly type: "broken"; readonly message: string };
