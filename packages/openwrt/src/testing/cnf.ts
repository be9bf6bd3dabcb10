import type { Clock } from "@kubewright/clock";
import type { Shell } from "./system/shell.ts";
import type { Uci } from "./uci/store.ts";

/** The state of a simulated CNF that request handlers work on. */
export interface Cnf {
  /** Behave like the reference, including its quirks. */
  readonly quirks: boolean;
  readonly uci: Uci;
  readonly shell: Shell;
  /** Files outside of UCI: path without leading slash to text, one character per byte. */
  readonly files: Map<string, string>;
  readonly clock: Clock;
  /** Time between two attempts to resolve a name. */
  readonly resolveRetryMs: number;
  /** Returns the answer of the bus to `mwan3 status`; undefined: no answer. */
  readonly mwan3Status: () => unknown;
}
