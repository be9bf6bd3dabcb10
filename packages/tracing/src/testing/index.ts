export { RecordedSpan, recordSpans, type SpanRecording } from "./record-spans.ts";
