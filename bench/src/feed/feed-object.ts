/** The variable part of an object of the feed. */
export interface FeedObject {
  readonly index: number;
  /** The resource version of the object. */
  version: number;
  /** Number of changes to the object. */
  revision: number;
}

/** Marks a part of an object's text that is filled in when it is sent. */
export const gap = "@@";

/** Returns lower-case hexadecimal digits that look like a hash of `value`. */
export function hex(value: number, digits: number): string {
  let state = (value + 1) * 0x9e3779b1;
  let text = "";
  while (text.length < digits) {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) ^ text.length;
    text += (state >>> 0).toString(16).padStart(8, "0");
  }
  return text.slice(0, digits);
}

/** Returns a timestamp of the API, `seconds` after the start of the feed's time. */
export const timeOf = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 5, 8) + seconds * 1_000).toISOString().replace(".000Z", "Z");

/** Annotation with the time when an object was sent: nanoseconds of the machine's monotonic clock. */
export const sentAnnotation = "bench.kubewright.dev/sent";
