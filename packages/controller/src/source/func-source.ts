import type { Request } from "../reconcile/request.ts";
import { nameOfFunction } from "./event-names.ts";
import type { Source, SourceContext } from "./source.ts";

/**
 * Makes a source from a function, for cases that no other source covers. It counts as synced once the function has returned. A function
 * that keeps running, such as a polling loop, must call `context.synced()` as soon as it has queued the existing objects, and return when
 * the signal aborts; without that call no reconcile begins, and the controller fails after `cacheSyncTimeoutMs`.
 *
 * @param description name of the source in messages; default `func source: ` and the function's name
 * @see controller-runtime pkg/source Func
 */
export function funcSource<R = Request>(
  run: (context: SourceContext<R>, signal: AbortSignal) => Promise<void> | void,
  description = `func source: ${nameOfFunction(run)}`,
): Source<R> {
  return { description, run: async (context, signal) => run(context, signal) };
}
