import {
  conflict,
  internalError,
  type StatusError,
  serviceUnavailable,
  tooManyRequests,
} from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";

/** How a write goes wrong; each either before or after it was done. */
export const writeFaults = ["conflict", "tooManyRequests", "internalError", "unavailable", "connectionLost"] as const;
export type WriteFault = (typeof writeFaults)[number];

export interface PlannedFault {
  readonly fault: WriteFault;
  readonly isDone: boolean;
}

/** What is wrong with the API server at the moment. */
export class ApiFaults {
  readonly #clock: Clock;
  #writes: PlannedFault[] = [];
  #downUntilMs = 0;
  /** Events of watches arrive so much late. */
  lagMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isDown(): boolean {
    return this.#clock.monotonic() < this.#downUntilMs;
  }

  takeDown(ms: number): void {
    this.#downUntilMs = this.#clock.monotonic() + ms;
  }

  /** The next writes go wrong so. */
  plan(...faults: readonly PlannedFault[]): void {
    this.#writes.push(...faults);
  }

  takeWriteFault(): PlannedFault | undefined {
    return this.#writes.shift();
  }

  heal(): void {
    this.#writes = [];
    this.#downUntilMs = 0;
    this.lagMs = 0;
  }
}

/** What the server says of a write that goes wrong; nothing if it says nothing. */
export function refusalOf(fault: WriteFault): StatusError | undefined {
  const resource = { group: "", resource: "objects" };
  if (fault === "conflict") return conflict(resource, "it", "the object has been modified");
  if (fault === "tooManyRequests") return tooManyRequests("slow down", 1);
  if (fault === "internalError") return internalError(new Error("etcdserver: request timed out"));
  if (fault === "unavailable") return serviceUnavailable("shutting down");
  return undefined;
}
