import { parseGoDuration } from "../text/go-text.ts";

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};
const names: readonly (readonly [RegExp, string])[] = [
  [/^(?:ns|nano|nanosec|nanosecs|nanosecond|nanoseconds)$/, "ns"],
  [/^(?:us|µs|micro|micros|microsec|microsecs|microsecond|microseconds)$/, "us"],
  [/^(?:ms|milli|millis|millisec|millisecs|millisecond|milliseconds)$/, "ms"],
  [/^(?:s|sec|secs|second|seconds)$/, "s"],
  [/^(?:m|min|mins|minute|minutes)$/, "m"],
  [/^(?:h|hr|hrs|hour|hours)$/, "h"],
  [/^(?:d|day|days)$/, "d"],
  [/^(?:w|wk|week|weeks)$/, "w"],
];

/** More digits than any duration has. */
const mostDigits = 20;

/** Nanoseconds of text in the OpenAPI format `duration`: Go's form, or a number and the name of a unit. @see kube-openapi pkg/validation/strfmt ParseDuration */
export function parseFormatDuration(text: string): bigint | undefined {
  const ns = parseGoDuration(text);
  if (ns !== undefined) return ns;
  const [, digits = "", name = ""] = /^(\d+)\s*([A-Za-zµ]+)$/.exec(text) ?? [];
  const unit = names.find(([pattern]) => pattern.test(name))?.[1];
  return digits === "" || digits.length > mostDigits || unit === undefined
    ? undefined
    : BigInt(digits) * (units[unit] ?? 0n);
}
