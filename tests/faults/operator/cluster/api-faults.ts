import {
  conflict,
  internalError,
  type StatusError,
  serviceUnavailable,
  tooManyRequests,
} from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";

/** Failures of a write; each occurs either before or after it is stored. */
export const writeFaults = ["conflict", "tooManyRequests", "internalError", "unavailable", "connectionLost"] as const;
export type WriteFault = (typeof writeFaults)[number];

export interface PlannedFault {
  readonly fault: WriteFault;
  readonly isDone: boolean;
}

/** The current faults of the API server. */
export class ApiFaults {
  readonly #clock: Clock;
  #writes: PlannedFault[] = [];
  #downUntilMs = 0;
  /** Delay of watch events. */
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

  /** Plans failures for the next writes. */
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

/** Returns the error of a failed write; undefined if there is no answer. */
export function refusalOf(fault: WriteFault): StatusError | undefined {
  const resource = { group: "", resource: "objects" };
  if (fault === "conflict") return conflict(resource, "it", "the object has been modified");
  if (fault === "tooManyRequests") return tooManyRequests("slow down", 1);
  if (fault === "internalError") return internalError(new Error("etcdserver: request timed out"));
  if (fault === "unavailable") return serviceUnavailable("shutting down");
  return undefined;
}
