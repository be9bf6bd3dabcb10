/** The two kinds of CNFs that the operator supports; each test runs on both. */
export const modes = [
  { mode: "a CNF as specified", quirks: false },
  { mode: "a CNF with the reference's quirks", quirks: true },
] as const;
