const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const maxNs = 2n ** 63n;
/** Number of digits in {@link maxNs}. Longer numbers overflow. */
const maxDigits = 19;

/**
 * Parses a duration such as `1h30m` or `-1.5s`. Returns the number of nanoseconds, or Go's error message.
 *
 * @see Go time.ParseDuration
 */
export function readGoDuration(text: string): { readonly ns: bigint } | { readonly problem: string } {
  const read = parsed(text);
  if ("ns" in read) return read;
  const unit = read.unit === undefined ? "" : ` ${quoteTime(read.unit)} in duration`;
  return { problem: `time: ${read.why}${unit} ${quoteTime(text)}` };
}

/** Parses a duration. If it is not valid, returns the parts of the message, because quoting a long text takes time. */
function parsed(text: string): { readonly ns: bigint } | { readonly why: string; readonly unit?: string } {
  const wrong = (why: string) => ({ why });
  const sign = text.startsWith("-") ? -1n : 1n;
  let at = /^[+-]/.test(text) ? 1 : 0;
  if (text.slice(at) === "0") return { ns: 0n };
  if (at === text.length) return wrong("invalid duration");
  let total = 0n;
  while (at < text.length) {
    const point = endOfDigits(text, at);
    const end = text[point] === "." ? endOfDigits(text, point + 1) : point;
    if (end - at === (end > point ? 1 : 0)) return wrong("invalid duration"); // there are no digits
    const digits = significant(text.slice(at, point));
    if (digits.length > maxDigits) return wrong("invalid duration");
    const next = endOfUnit(text, end);
    if (next === end) return wrong("missing unit in duration");
    const unit = text.slice(end, next);
    const scale = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (scale === undefined) return { why: "unknown unit", unit };
    total += BigInt(digits) * scale;
    if (end > point + 1) total += fractionNs(text.slice(point + 1, end), scale);
    if (total > maxNs) return wrong("invalid duration");
    at = next;
  }
  if (sign > 0n && total === maxNs) return wrong("invalid duration");
  return { ns: sign * total };
}

/** Parses a duration like {@link readGoDuration}, but returns `undefined` if the string is not valid. */
export function parseGoDuration(text: string): bigint | undefined {
  const read = parsed(text);
  return "ns" in read ? read.ns : undefined;
}

/** Formats a number of nanoseconds as Go does, for example as `1h30m0s`, `1.5ms` or `0s`. @see Go time.Duration.String */
export function formatGoDuration(ns: bigint): string {
  if (ns === 0n) return "0s";
  const sign = ns < 0n ? "-" : "";
  const size = ns < 0n ? -ns : ns;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const [minutes, hours] = [size / 60_000_000_000n, size / 3_600_000_000_000n];
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  return `${sign}${hours === 0n ? "" : `${hours}h`}${minutes % 60n}m${seconds}`;
}

/**
 * Quotes a string as Go's `time` package does. Unlike `%q`, it escapes control characters and non-ASCII characters byte
 * by byte.
 *
 * @see Go time.quote
 */
export function quoteTime(text: string): string {
  let shown = "";
  for (const byte of new TextEncoder().encode(text)) shown += quotedBytes[byte] ?? "";
  return `"${shown}"`;
}

const quotedBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (byte < 0x20 || byte > 0x7f) return `\\x${byte.toString(16).padStart(2, "0")}`;
  return character === '"' || character === "\\" ? `\\${character}` : character;
});

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
};

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at++;
  return at;
}

function endOfUnit(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "." && !isDigit(text, at)) at++;
  return at;
}

const significant = (digits: string): string => digits.replace(/^0+/, "") || "0";

/** Converts the digits after the decimal point to nanoseconds, with Go's floating-point arithmetic. */
function fractionNs(digits: string, unit: bigint): bigint {
  let kept = 0;
  let value = 0n;
  for (; kept < digits.length && value <= (maxNs - 1n) / 10n; kept++) value = value * 10n + BigInt(digits[kept] ?? 0);
  return BigInt(Math.trunc(Number(value) * (Number(unit) / 10 ** kept)));
}

/** Formats a number with up to `places` digits after the decimal point and without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const text = String(value).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}`.replace(/\.?0+$/, "");
}
