import { type SpanContext, Tracer } from "@kubewright/tracing";

const tracer = new Tracer("sdewan-operator");

/** Who asks, for {@link tracedBatch}: `undefined` where nothing is traced. */
export const askingSpan = (): SpanContext | undefined => tracer.active;

/**
 * What is done for several reconciles at once, as a span of its own with a link to each: whose calls they are cannot be told, least of all by who
 * happened to come first.
 */
export function tracedBatch(
  name: string,
  asking: readonly (SpanContext | undefined)[],
  work: () => Promise<void>,
): Promise<void> {
  if (!tracer.isOn) return work();
  const bySpan = new Map(asking.flatMap((context) => (context ? [[context.spanId, context] as const] : [])));
  const links = [...bySpan.values()].map((context) => ({ context }));
  return tracer.within(name, { isRoot: true, links, attributes: { "kubewright.cnf.changes": asking.length } }, work);
}
