import type { ReadWriter } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Cause, Result } from "./request.ts";

/** Records reconciles, for example to replay them later. Implemented by `FlightRecorder` in `@kubewright/replay`. */
export interface ReconcileRecorder {
  /** Begins to record a reconcile. Called before every reconcile, so it must be fast. */
  begin(call: RecordedCall): ReconcileRecording;
}

/** A reconcile that is about to begin. */
export interface RecordedCall {
  /** Name of the controller. */
  readonly controller: string;
  readonly request: unknown;
  readonly causes: readonly Cause[];
  /** Clock of the controller. */
  readonly clock: Clock;
  /** Aborts if the reconcile is interrupted. An interrupted reconcile cannot be repeated. */
  readonly signal: AbortSignal;
}

/** A recording of one reconcile. */
export interface ReconcileRecording {
  /** Clock whose times are recorded. It becomes `context.clock`. */
  readonly clock: Clock;
  /** Returns a client whose reads and writes are recorded, with their results. It becomes `context.client`. */
  client(client: ReadWriter): ReadWriter;
  /** Calls the function and records what it returns or throws. It becomes `context.observe`. */
  observe<T>(name: string, ask: () => T | Promise<T>): Promise<T>;
  /** Called when the reconcile has ended. */
  end(outcome: RecordedOutcome): void;
}

/** Outcome of a reconcile. `reconcileID` is undefined if the reconcile did not use its ID. */
export type RecordedOutcome = { readonly reconcileID: string | undefined; readonly tookMs: number } & (
  | { readonly result: Result }
  | {
      readonly error: Error;
      /** True if the error is a programming error. */
      readonly isPanic: boolean;
      /** True if the reconcile is not retried. */
      readonly isTerminal: boolean;
    }
);
