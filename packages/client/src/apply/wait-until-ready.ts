import { isNotFound, type Kind, keyOf, type Unstructured } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Client } from "../calls/client.ts";
import { unreadyReason } from "./readiness.ts";

const intervalMs = 250;

export interface WaitOptions {
  readonly clock: Clock;
  /** Deadline in the clock's monotonic milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Polls the object until it is ready.
 *
 * @throws {Error} with the reason why it is not ready, once the deadline has passed; or if it was deleted
 */
export async function waitUntilReady(
  client: Client,
  kind: Kind<Unstructured>,
  object: Unstructured,
  { clock, deadlineMs, signal }: WaitOptions,
): Promise<void> {
  for (let seen = object; ; ) {
    const reason = unreadyReason(seen);
    if (reason === undefined) return;
    signal?.throwIfAborted();
    if (clock.monotonic() >= deadlineMs) throw new Error(`not ready in time: ${reason}`);
    await clock.sleep(intervalMs, signal);
    try {
      seen = await client.get(kind, keyOf(object), { signal });
    } catch (error) {
      if (isNotFound(error)) throw new Error("was deleted before it was ready", { cause: error });
      throw error;
    }
  }
}
