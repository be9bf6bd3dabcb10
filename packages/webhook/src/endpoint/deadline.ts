import { parseGoDuration } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { HttpCall } from "./endpoint.ts";

/** Maximum timeout of an API server for a webhook. */
const longestMs = 30_000;

/** Thrown if handling a call takes longer than its caller is willing to wait. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Deadline for the response to a call. */
export interface Deadline extends Disposable {
  /** Aborts with a {@link DeadlineError} after the deadline, or when the call's own signal aborts. */
  readonly signal: AbortSignal;
  /** Rejects when the signal aborts. */
  readonly over: Promise<never>;
}

/** Starts the deadline that the API server sends as `?timeout=10s`. */
export function startDeadline(call: HttpCall, clock: Clock): Deadline {
  const timeoutMs = timeoutOf(call.query.get("timeout"));
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => {}); // callers handle it
  const end = (reason: unknown): void => {
    controller.abort(reason);
    reject(reason);
  };
  const timer = clock.after(
    timeoutMs,
    () => end(new DeadlineError(`the webhook ${call.path} did not respond within ${timeoutMs / 1_000}s`)),
    { unref: true },
  );
  const onGone = (): void => end(call.signal.reason);
  call.signal.addEventListener("abort", onGone, { once: true });
  if (call.signal.aborted) onGone();
  return {
    signal: controller.signal,
    over,
    [Symbol.dispose]: () => {
      timer.cancel();
      call.signal.removeEventListener("abort", onGone);
    },
  };
}

function timeoutOf(text: string | null): number {
  if (text === null || text.length > 32) return longestMs;
  const wantedMs = Number((parseGoDuration(text) ?? 0n) / 1_000_000n);
  return wantedMs > 0 ? Math.min(wantedMs, longestMs) : longestMs;
}
