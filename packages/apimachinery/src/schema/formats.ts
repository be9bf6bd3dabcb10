import { parseFormatDuration } from "../value/format-duration.ts";
import { ownMember } from "../value/json-value.ts";
import { type LinearPattern, linearPattern } from "./linear-pattern.ts";

const day = /^\d{4}-\d{2}-\d{2}$/;
const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const ipv4 = /^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;
const isIpv6 = (value: string): boolean => value.includes(":") && URL.canParse(`http://[${value}]/`);

const checks: Readonly<Record<string, (value: string) => boolean>> = {
  date: (value) => day.test(value) && !Number.isNaN(Date.parse(value)),
  "date-time": (value) => dateTime.test(value) && !Number.isNaN(Date.parse(value)),
  duration: (value) => parseFormatDuration(value) !== undefined,
  email: (value) => /^[^\s@<>]+@[^\s@<>]+$/.test(value),
  hostname: (value) =>
    value.length <= 255 && value.split(".").every((part) => /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(part)),
  ipv4: (value) => ipv4.test(value),
  ipv6: isIpv6,
  cidr: (value) => {
    const [address = "", bits = "", ...rest] = value.split("/");
    if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
    return ipv4.test(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
  },
  uri: (value) => URL.canParse(value) || value.startsWith("/"),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  byte: (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
  mac: (value) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(value),
};

/** Formats that the API server supports, but that are not checked here. */
const unchecked: ReadonlySet<string> = new Set(
  "bsonobjectid creditcard hexcolor isbn isbn10 isbn13 rgbcolor ssn uuid3 uuid4 uuid5 ip datetime k8s-short-name k8s-long-name int32 int64 float double password".split(
    " ",
  ),
);

/** Reports whether the API server knows a format. It ignores formats that it does not know. */
export const isKnownFormat = (format: string): boolean => unchecked.has(format) || Object.hasOwn(checks, format);

/** Reports whether a string has a format. Every string matches a format that the API server does not check. */
export function matchesFormat(format: string, value: string): boolean {
  return ownMember(checks, format)?.(value) ?? true;
}

/** Maximum number of compiled patterns that are kept. */
const maxPatterns = 1_000;
const patterns = new Map<string, CompiledPattern | undefined>();

interface CompiledPattern {
  readonly expression: RegExp;
  /** True if `expression` is fast for short texts. */
  readonly isSimple: boolean;
  /** The pattern as an automaton. Compiled on first use; `null` if that is not possible. */
  linear?: LinearPattern | null;
}

/** Maximum number of characters of a short text, and of quantifiers of a simple pattern. Then a `RegExp` tries at most a million matches. */
const [longestShort, maxQuantifiers] = [64, 4];

/** Reports whether a pattern has few quantifiers, and none for a group. */
function isSimple(pattern: string): boolean {
  const structure = pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, "a").replaceAll("(?", "(");
  const quantifiers = structure.match(/[*+?{]/g) ?? [];
  return quantifiers.length <= maxQuantifiers && !/\)[*+?{]/.test(structure);
}

/**
 * Reports whether a string matches a pattern in Go's syntax. Takes time linear in the length of the string. If
 * JavaScript cannot express the pattern, or the string is too long for it, the string counts as a match, because API
 * servers check it anyway.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function matchesPattern(pattern: string, value: string): boolean {
  if (!patterns.has(pattern)) {
    if (patterns.size >= maxPatterns) patterns.clear();
    const expression = compiled(pattern);
    patterns.set(pattern, expression && { expression, isSimple: isSimple(expression.source) });
  }
  const known = patterns.get(pattern);
  if (!known) return true;
  if (known.isSimple && value.length <= longestShort) return known.expression.test(value);
  known.linear ??= linearPattern(known.expression.source) ?? null;
  return known.linear?.(value) ?? true;
}

function compiled(pattern: string): RegExp | undefined {
  for (const text of [pattern, translated(pattern)])
    try {
      return new RegExp(text, "u");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  return undefined;
}

/** Parts of a pattern that JavaScript writes differently, and the brackets that surround them. */
const part =
  /\\[pP](?<property>[A-Z])|\\z|\\A|\\(?<literal>[-_ "#%&',:;<=>@`~!])|\\[\s\S]|\(\?(?<flags>[ims]+)\)|\(\?P<|(?<bracket>[()[\]])/g;

/** Translates a pattern from Go's syntax: one-letter properties, flags for the rest of a group, names of groups, ends, and escapes. */
function translated(pattern: string): string {
  /** Number of brackets to add at the end of each open group. */
  const open = [0];
  let isInClass = false;
  const text = pattern.replace(part, (found: string, ...more: unknown[]) => {
    const { property, literal, flags, bracket } = more.at(-1) as Record<string, string | undefined>;
    if (property) return `${found.slice(0, 2)}{${property}}`;
    if (literal) return literal === "-" && isInClass ? found : literal;
    if (found.startsWith("\\")) return found === "\\z" ? "$" : found === "\\A" ? "^" : found;
    if (isInClass) {
      if (bracket === "]") isInClass = false;
      return found;
    }
    if (flags) {
      open[open.length - 1] = (open.at(-1) ?? 0) + 1;
      return `(?${flags}:`;
    }
    if (found === "(?P<") open.push(0);
    if (bracket === "[") isInClass = true;
    if (bracket === "(") open.push(0);
    if (bracket === ")") return ")".repeat(1 + (open.pop() ?? 0));
    return found === "(?P<" ? "(?<" : found;
  });
  return text + ")".repeat(open[0] ?? 0);
}
