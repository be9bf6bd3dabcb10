import type { Request } from "../reconcile/request.ts";
import { nameOfFunction } from "./event-names.ts";
import type { Source, SourceContext } from "./source.ts";

/**
 * A function as a source, for what no other source fits. It counts as synced once it has returned. One that goes on, such as a loop that
 * polls, calls `context.synced()` as soon as it has queued what exists, and returns when the signal aborts; without that call no reconcile
 * begins, and the controller fails after `cacheSyncTimeoutMs`.
 *
 * @param description names the source in messages; default `func source: ` and the function's name
 * @see controller-runtime pkg/source Func
 */
export function funcSource<R = Request>(
  run: (context: SourceContext<R>, signal: AbortSignal) => Promise<void> | void,
  description = `func source: ${nameOfFunction(run)}`,
): Source<R> {
  return { description, run: async (context, signal) => run(context, signal) };
}
