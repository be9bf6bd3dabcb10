import type { ReadWriter } from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import type { FlightRecorder } from "../flight-recorder.ts";
import { type RecordedReconcile, Recording, type ReplayContext } from "../player.ts";

export type TestReconciler = (request: string, context: ReplayContext) => Promise<unknown>;

/** Reconciles a request as a controller does, and records the reconcile. */
export async function reconciled(
  recorder: FlightRecorder,
  client: ReadWriter,
  request: string,
  reconcile: TestReconciler,
  clock: Clock = systemClock,
): Promise<void> {
  const { signal } = new AbortController();
  const causes = [{ source: "ConfigMap", type: "update", key: request, resourceVersion: "7" }] as const;
  const recording = recorder.begin({ controller: "test", request, causes, clock, signal });
  const context: ReplayContext = {
    ...{ client: recording.client(client), clock: recording.clock, log: silentLogger, signal, causes },
    recorder: { event: () => {} },
    reconcileID: "a0a0",
    observe: (name, ask) => recording.observe(name, ask),
  };
  const about = { reconcileID: undefined, tookMs: 1 };
  try {
    recording.end({ ...about, result: Object(await reconcile(request, context)) });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    recording.end({ ...about, error, isPanic: false, isTerminal: false });
  }
}

/** Saves the recorded reconciles and reads them back. */
export const saved = (recorder: FlightRecorder): Recording => Recording.read(recorder.dump(0));

/** Returns the only reconcile in a recording. */
export function onlyIn({ reconciles: [first, ...others] }: Recording): RecordedReconcile {
  if (!first || others.length > 0) throw new Error("the recording does not contain exactly one reconcile");
  return first;
}
