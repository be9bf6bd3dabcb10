import type { Request } from "../reconcile/request.ts";
import type { Source, SourceContext } from "./source.ts";

/**
 * A function as a source, for what no other source fits. It may return as soon as it has set up what it wants; from then on it
 * counts as synced.
 *
 * @see controller-runtime pkg/source Func
 */
export function funcSource<R = Request>(
  run: (context: SourceContext<R>, signal: AbortSignal) => Promise<void> | void,
  description = "func source",
): Source<R> {
  return { description, run: async (context, signal) => run(context, signal) };
}
