import { parseGoDuration } from "./go-duration.ts";

interface Unit {
  readonly ns: bigint;
  readonly names: readonly string[];
  /** Whatever begins with it is the unit too: `days`, `dayish`. */
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
/** Of {@link longestCount}. */
const mostDigits = 19;

/**
 * Nanoseconds of text in the OpenAPI format `duration`; `undefined` if it has none. It is Go's form, or any text in which a number stands
 * before the name of a unit: what else is in the text does not count.
 *
 * @see kube-openapi pkg/validation/strfmt ParseDuration
 */
export function parseFormatDuration(text: string): bigint | undefined {
  const ns = parseGoDuration(text);
  if (ns !== undefined) return ns;
  let total: bigint | undefined;
  for (const [, digits = "", name = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]*)/g)) {
    if (name === "") continue;
    const count = digits.replace(/^0+(?=\d)/, "");
    if (count.length > mostDigits || BigInt(count) > longestCount) return undefined;
    const unit = unitOf(name.toLowerCase());
    if (unit !== undefined) total = BigInt.asIntN(64, (total ?? 0n) + BigInt(count) * unit.ns);
  }
  return total;
}

const unitOf = (name: string): Unit | undefined =>
  units.find(({ names, stem }) => names.includes(name) || name.startsWith(stem));
