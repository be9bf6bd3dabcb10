/** What is asked of the process that runs one package's tests. Paths are absolute. */
export type Question =
  /** Which test files are there? */
  | { readonly type: "specs" }
  /** Do these test files pass, if `mutant.file` reads `mutant.text`? They are run in this order until one fails. */
  | { readonly type: "run"; readonly specs: readonly string[]; readonly mutant?: { file: string; text: string } };

export type Answer =
  | { readonly type: "specs"; readonly specs: readonly string[] }
  | { readonly type: "ran"; readonly failures: readonly string[]; readonly tookMs: number }
  | { readonly type: "broken"; readonly message: string };
