export type { Attributes, AttributeValue, SpanContext, SpanLink } from "./global-api.ts";
export { RecentSpans } from "./recent-spans.ts";
export { noSpan, Span } from "./span.ts";
export { type SpanOptions, Tracer } from "./tracer.ts";
