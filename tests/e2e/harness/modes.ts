/** The two kinds of CNFs that the operator gets along with; each test runs on both. */
export const modes = [
  { mode: "a CNF as it should be", quirks: false },
  { mode: "a CNF with the reference's quirks", quirks: true },
] as const;
