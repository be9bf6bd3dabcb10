import type { CnfInterface } from "../cnf/cnf-api.ts";
import { pausedMessage } from "../tell/pause.ts";
import { answers, inForce, nobody, notReady, Reason, type Standing, unreachable } from "../tell/standing.ts";
import type { Action } from "./objection.ts";

/** Observed interface, and the reason why it is not in the desired state. */
export interface Sight {
  readonly seen?: CnfInterface | undefined;
  readonly message?: string;
  /** State to which the interface was just switched. */
  readonly switched?: Action;
  /** True if the interface is not in the desired state. */
  readonly isRefused?: boolean;
  /** True if the CNF responds, even with an error. */
  readonly hasAnswered?: boolean;
  /** True if the CNF does not respond. */
  readonly isUnreachable?: boolean;
  /** True if the interface is only shown, not switched. */
  readonly isPaused?: boolean;
}

/** Returns the conditions for an observation. */
export function standingOf({ seen, message, isRefused, hasAnswered, isUnreachable, isPaused }: Sight): Standing {
  const failed = message ?? "";
  if (isPaused) return { ready: notReady(Reason.paused, pausedMessage), reachable: seen ? answers : undefined };
  if (isUnreachable) return { ready: notReady(Reason.unreachable, failed), reachable: unreachable(failed) };
  if (isRefused) return { ready: notReady(Reason.refused, failed), reachable: answers };
  if (seen) return { ready: inForce, reachable: answers };
  const missing = message ?? "No pod that is selected and ready has this interface";
  return { ready: notReady(Reason.waiting, missing), reachable: hasAnswered ? answers : nobody };
}
