import type { CnfInterface } from "../cnf/cnf-api.ts";
import { pausedMessage } from "../tell/pause.ts";
import { answers, inForce, nobody, notReady, Reason, type Standing, unreachable } from "../tell/standing.ts";
import type { Action } from "./objection.ts";

/** What there is to see of an interface, and why it is not as wanted. */
export interface Sight {
  readonly seen?: CnfInterface | undefined;
  readonly message?: string;
  /** To what it was switched just now. */
  readonly switched?: Action;
  /** It is not switched as wanted. */
  readonly isRefused?: boolean;
  /** The CNF answers, if only that it cannot say. */
  readonly hasAnswered?: boolean;
  /** The CNF does not answer. */
  readonly isUnreachable?: boolean;
  /** It is only shown. */
  readonly isPaused?: boolean;
}

/** What a sight comes to in conditions. */
export function standingOf({ seen, message, isRefused, hasAnswered, isUnreachable, isPaused }: Sight): Standing {
  const failed = message ?? "";
  if (isPaused) return { ready: notReady(Reason.paused, pausedMessage), reachable: seen ? answers : undefined };
  if (isUnreachable) return { ready: notReady(Reason.unreachable, failed), reachable: unreachable(failed) };
  if (isRefused) return { ready: notReady(Reason.refused, failed), reachable: answers };
  if (seen) return { ready: inForce, reachable: answers };
  const missing = message ?? "No ready pod that is selected shows it";
  return { ready: notReady(Reason.waiting, missing), reachable: hasAnswered ? answers : nobody };
}
