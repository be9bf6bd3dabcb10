import type { Clock } from "@kubewright/clock";
import type { Shell } from "./system/shell.ts";
import type { Uci } from "./uci/store.ts";

/** The inside of a simulated CNF: what handlers of requests work on. */
export interface Cnf {
  /** Behave as the reference does, oddities included. */
  readonly quirks: boolean;
  readonly uci: Uci;
  readonly shell: Shell;
  /** Files outside UCI: path without leading slash to text, one character a byte. */
  readonly files: Map<string, string>;
  readonly clock: Clock;
  /** Time between two tries to resolve a name. */
  readonly resolveRetryMs: number;
  /** What the bus answers to `mwan3 status`; undefined: nothing. */
  readonly mwan3Status: () => unknown;
}
