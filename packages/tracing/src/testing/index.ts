export type { GlobalSpan, GlobalSpanOptions } from "../global-api.ts";
export { RecordedSpan, recordSpans, type SpanRecording } from "./record-spans.ts";
