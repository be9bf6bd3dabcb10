import { type CnfRequestMatch, type LoggedRequest, matches } from "./request-log.ts";
import type { CnfResponse } from "./response.ts";

/** Determines the requests to which a fault applies. */
export interface FaultScope {
  /** Condition that the requests must meet. Default: all requests. */
  readonly match?: CnfRequestMatch | undefined;
  /** Number of requests to which the fault applies. Default 1. */
  readonly count?: number | undefined;
}

export type Fault =
  | { readonly kind: "answer"; readonly answer: CnfResponse }
  | { readonly kind: "hang" }
  | { readonly kind: "drop" }
  | { readonly kind: "delay"; readonly ms: number };

/** Faults that will be applied to future requests. */
export class Faults {
  #planned: { readonly fault: Fault; readonly match: CnfRequestMatch | undefined; left: number }[] = [];

  plan(fault: Fault, { match, count = 1 }: FaultScope): void {
    this.#planned.push({ fault, match, left: count });
  }

  /** Returns the fault that applies to a request, and counts it as used. */
  take(request: LoggedRequest): Fault | undefined {
    const found = this.#planned.find(({ left, match }) => left > 0 && matches(match, request));
    if (found) found.left--;
    this.#planned = this.#planned.filter(({ left }) => left > 0);
    return found?.fault;
  }

  clear(): void {
    this.#planned = [];
  }
}
