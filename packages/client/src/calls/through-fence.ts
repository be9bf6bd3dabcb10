import type { Fence } from "../contract/fence.ts";

/** The fence's functions for one write. */
export interface FencedCall {
  /** Aborts with the caller's signal or the fence's. */
  readonly signal: AbortSignal;
  /** Must be called right before each try; throws if the try is not allowed. */
  readonly beforeSending: () => void;
}

/**
 * Makes one write through a fence. Rejects as soon as the fence closes or the caller's signal aborts, even if `write` is still waiting.
 *
 * Listens to both signals directly: an `AbortSignal.any` with a signal that lives as long as the process costs 20 µs and is slow to be
 * freed.
 */
export async function throughFence<T>(
  fence: Fence,
  call: { readonly what: () => string; readonly signal: AbortSignal | undefined },
  write: (fenced: FencedCall) => Promise<T>,
): Promise<T> {
  const { signal } = call;
  signal?.throwIfAborted();
  let wasSent = false;
  const ended = new AbortController();
  const end = Promise.withResolvers<never>();
  const giveUp = (error: unknown): void => {
    ended.abort(error);
    end.reject(error);
  };
  const refuse = (sent: boolean, cause: unknown): void =>
    giveUp(fence.refused({ what: call.what(), wasSent: sent }, cause));
  const check = (): void => {
    try {
      fence.check();
    } catch (cause) {
      refuse(wasSent, cause);
    }
    ended.signal.throwIfAborted();
  };
  const beforeSending = (): void => {
    wasSent = false; // a repeated try was answered: the server did nothing
    check();
    wasSent = true;
  };
  const onAbort = (): void => giveUp(signal?.reason);
  const onClosed = (): void => refuse(wasSent, fence.signal.reason);
  signal?.addEventListener("abort", onAbort);
  fence.signal.addEventListener("abort", onClosed);
  try {
    end.promise.catch(() => {}); // handled by the race, unless the first check throws
    check();
    return await Promise.race([write({ signal: ended.signal, beforeSending }), end.promise]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    fence.signal.removeEventListener("abort", onClosed);
  }
}
