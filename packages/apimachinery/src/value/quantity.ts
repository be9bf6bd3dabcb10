import { isErrorWithCode, KubewrightError } from "./kubewright-error.ts";
/** The type of a quantity's suffix: binary (`Ki`), decimal (`k`) or exponent (`e3`). */
export type QuantityFormat = "BinarySI" | "DecimalSI" | "DecimalExponent";

/** Thrown if a string is not a quantity. */
export class QuantityError extends KubewrightError {
  override readonly name = "QuantityError";
  readonly code = "ERR_QUANTITY";
}

/** Reports whether an error is a {@link QuantityError}. */
export const isQuantityError = isErrorWithCode<QuantityError>("ERR_QUANTITY");

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
/** Matches a quantity. A digit belongs to the suffix only after a letter or a sign, so a string can match in only one way. */
const shape = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)$/;
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const nanosPerUnit = 1_000_000_000n;
/** Maximum of an int64, the type of upstream's exponents. */
const maxExponent = 2 ** 63;
/** Maximum number of digits before the decimal point. It is more than the largest amount, in billionths, can have. */
const maxDigits = 40;
/** Maximum number of digits after the decimal point that can affect the last billionth, with any suffix. */
const maxDecimals = 60;
const maxNanos = (2n ** 63n - 1n) * nanosPerUnit;

/**
 * An amount with a suffix, such as `500m` or `1Gi`. It is exact to one billionth; finer fractions are rounded away from
 * zero. Amounts are limited to ±(2^63 - 1). Immutable.
 *
 * @see apimachinery api/resource Quantity
 */
export class Quantity {
  /** Amount in billionths, such as 500,000,000 for `500m`. */
  readonly nanos: bigint;
  /** Suffix type with which the quantity is written. */
  readonly format: QuantityFormat;

  private constructor(nanos: bigint, format: QuantityFormat) {
    this.nanos = nanos > maxNanos ? maxNanos : nanos < -maxNanos ? -maxNanos : nanos;
    this.format = format;
  }

  /** Parses a quantity. @throws {QuantityError} with upstream's message if the value is not a quantity */
  static parse(value: string | number): Quantity {
    const text = String(value);
    const match = shape.exec(text);
    const [, sign = "", whole = "", fraction = "", suffix = ""] = match ?? [];
    if (!match || (whole === "" && fraction === "")) throw new QuantityError(wrongFormat);
    const { scale, factor, format } = readSuffix(suffix);
    const nanos = nanosOf(whole + fraction, whole.length + scale + 9, factor);
    return new Quantity(sign === "-" ? -nanos : nanos, format);
  }

  /** Reports whether {@link parse} accepts a value. */
  static isValid(value: string | number): boolean {
    try {
      Quantity.parse(value);
      return true;
    } catch {
      return false;
    }
  }

  /** Compares two quantities. Returns a negative number, zero or a positive number. */
  compare(other: Quantity): number {
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  /** Returns the sum of two quantities. It has the format of this quantity or, if this quantity is zero, of the other one. */
  add(other: Quantity): Quantity {
    return new Quantity(this.nanos + other.nanos, this.nanos === 0n ? other.format : this.format);
  }

  subtract(other: Quantity): Quantity {
    return new Quantity(this.nanos - other.nanos, this.nanos === 0n ? other.format : this.format);
  }

  get isZero(): boolean {
    return this.nanos === 0n;
  }

  /** Amount in whole units, rounded away from zero. @see Quantity.Value */
  get value(): bigint {
    return roundAway(this.nanos, nanosPerUnit);
  }

  /** Amount in thousandths, rounded away from zero. @see Quantity.MilliValue */
  get milliValue(): bigint {
    return roundAway(this.nanos, 1_000_000n);
  }

  /** Returns the amount as a number, which may be inexact. */
  toNumber(): number {
    return Number(this.nanos) / 1e9;
  }

  /** Returns the canonical text, which has the largest suffix that leaves no fraction. */
  toString(): string {
    if (this.nanos === 0n) return "0";
    const magnitude = this.nanos < 0n ? -this.nanos : this.nanos;
    if (this.format === "BinarySI" && magnitude >= 1024n * nanosPerUnit) {
      let mantissa = this.value;
      let power = 0;
      while (mantissa % 1024n === 0n && power < binarySuffixes.length - 1) {
        mantissa /= 1024n;
        power++;
      }
      return `${mantissa}${binarySuffixes[power] ?? ""}`;
    }
    let mantissa = this.nanos;
    let exponent = -9;
    while (mantissa % 1000n === 0n && exponent < 18) {
      mantissa /= 1000n;
      exponent += 3;
    }
    if (this.format === "DecimalExponent") return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
    const suffix = [...decimalSuffixes].find(([, power]) => power === exponent)?.[0] ?? "";
    return `${mantissa}${suffix}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

function readSuffix(suffix: string): {
  readonly scale: number;
  readonly factor: bigint;
  readonly format: QuantityFormat;
} {
  const decimal = decimalSuffixes.get(suffix);
  if (decimal !== undefined) return { scale: decimal, factor: 1n, format: "DecimalSI" };
  const power = binarySuffixes.indexOf(suffix);
  if (power > 0) return { scale: 0, factor: 1024n ** BigInt(power), format: "BinarySI" };
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (exponent !== undefined && Math.abs(Number(exponent)) <= maxExponent)
    return { scale: Number(exponent), factor: 1n, format: "DecimalExponent" };
  throw new QuantityError("unable to parse quantity's suffix");
}

/**
 * Returns a decimal number in billionths, multiplied by the factor and rounded up. The number consists of the digits in `text`, with a
 * decimal point after the first `point` digits. Only digits that can affect the result are used.
 */
function nanosOf(text: string, point: number, factor: bigint): bigint {
  const leading = leadingZeros(text);
  if (leading === text.length) return 0n;
  const before = point - leading;
  if (before > maxDigits) return maxNanos;
  if (before < -maxDecimals) return 1n;
  const digits = text.slice(leading);
  const most = before + maxDecimals;
  // for rounding, it only matters whether any of the removed digits is not zero
  const isFiner = /[1-9]/.test(digits.slice(most));
  const kept = isFiner ? `${digits.slice(0, most)}1` : digits.slice(0, most);
  const decimals = kept.length - before;
  const scaled = BigInt(kept) * factor;
  return decimals > 0 ? roundAway(scaled, 10n ** BigInt(decimals)) : scaled * 10n ** BigInt(-decimals);
}

function leadingZeros(text: string): number {
  let count = 0;
  while (text[count] === "0") count++;
  return count;
}

function roundAway(value: bigint, unit: bigint): bigint {
  const quotient = value / unit;
  if (value % unit === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}
