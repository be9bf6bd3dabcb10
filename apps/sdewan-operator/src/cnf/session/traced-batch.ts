import { type SpanContext, Tracer } from "@kubewright/tracing";

const tracer = new Tracer("sdewan-operator");

/** Returns the caller's span, for {@link tracedBatch}, or `undefined` if tracing is off. */
export const callerSpan = (): SpanContext | undefined => tracer.active;

/**
 * Runs work for several reconciles in a separate span, linked to all the reconciles' spans. It is not a child of any
 * one of them, because the work belongs to all of them.
 */
export function tracedBatch(
  name: string,
  callers: readonly (SpanContext | undefined)[],
  work: () => Promise<void>,
): Promise<void> {
  if (!tracer.isOn) return work();
  const bySpan = new Map(callers.flatMap((context) => (context ? [[context.spanId, context] as const] : [])));
  const links = [...bySpan.values()].map((context) => ({ context }));
  return tracer.within(name, { isRoot: true, links, attributes: { "kubewright.cnf.changes": callers.length } }, work);
}
