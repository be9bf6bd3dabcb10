import { parseGoDuration } from "./go-duration.ts";

interface Unit {
  readonly ns: bigint;
  readonly names: readonly string[];
  /** Prefix of all longer names of the unit, such as `day` for `days`. */
  readonly stem: string;
}

const units: readonly Unit[] = [
  { ns: 1n, names: ["ns"], stem: "nano" },
  { ns: 1_000n, names: ["us", "µs"], stem: "micro" },
  { ns: 1_000_000n, names: ["ms"], stem: "milli" },
  { ns: 1_000_000_000n, names: ["s"], stem: "sec" },
  { ns: 60_000_000_000n, names: ["m"], stem: "min" },
  { ns: 3_600_000_000_000n, names: ["h", "hr"], stem: "hour" },
  { ns: 86_400_000_000_000n, names: ["d"], stem: "day" },
  { ns: 604_800_000_000_000n, names: ["w", "wk"], stem: "week" },
];

const longestCount = 2n ** 63n - 1n;
/** Number of digits in {@link longestCount}. */
const maxDigits = 19;

/**
 * Parses a string in the OpenAPI format `duration`. Returns the number of nanoseconds, or `undefined` if the string is
 * not a duration. Accepts Go's format and, like upstream, any string that contains a number followed by a unit name;
 * the rest of the string is ignored.
 *
 * @see kube-openapi pkg/validation/strfmt ParseDuration
 */
export function parseFormatDuration(text: string): bigint | undefined {
  const ns = parseGoDuration(text);
  if (ns !== undefined) return ns;
  let total: bigint | undefined;
  for (const [, digits = "", name = ""] of text.matchAll(/(\d+)\s*([A-Za-z\u00b5]*)/g)) {
    if (name === "") continue;
    const count = digits.replace(/^0+(?=\d)/, "");
    if (count.length > maxDigits || BigInt(count) > longestCount) return undefined;
    const unit = unitOf(name.toLowerCase());
    if (unit !== undefined) total = BigInt.asIntN(64, (total ?? 0n) + BigInt(count) * unit.ns);
  }
  return total;
}

const unitOf = (name: string): Unit | undefined =>
  units.find(({ names, stem }) => names.includes(name) || name.startsWith(stem));
