import type { Clock } from "@kubewright/clock";
import type { Shell } from "./system/shell.ts";
import type { Uci } from "./uci/store.ts";

/** State of a simulated CNF on which request handlers operate. */
export interface Cnf {
  /** True to behave like the reference CNF, including its quirks. */
  readonly quirks: boolean;
  readonly uci: Uci;
  readonly shell: Shell;
  /**
   * Files outside UCI: a map from the path (without the leading slash) to the text, in which each character is one
   * byte.
   */
  readonly files: Map<string, string>;
  readonly clock: Clock;
  /** Time between two attempts to resolve a name, in milliseconds. */
  readonly resolveRetryMs: number;
  /** Returns the response of OpenWrt's message bus (ubus) to `mwan3 status`, or undefined if the bus does not respond. */
  readonly mwan3Status: () => unknown;
}
