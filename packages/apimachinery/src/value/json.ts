import { keepInteger, keptInteger, mayHaveKept, numericTokens } from "./exact-integers.ts";

declare global {
  interface JSON {
    /** Text that `JSON.stringify` writes as it is. Absent from the library types of this language level. */
    rawJSON(text: string): unknown;
  }
}

/** Only such text can hold an integer that a double cannot. */
const longDigits = /\d{16}/;
const integer = /^-?\d+$/;
/** Most long runs of digits are in digests and identifiers. */
const longInteger = /[:,[\s]-?\d{16}/;
/** A longer integer is no `bigint` but what a double makes of it, which is infinity: to read a million digits takes long. */
const mostDigits = 10_000;

/**
 * Reads JSON. Integers beyond ±(2^53 - 1) become `bigint`, so that none is rounded; all other numbers are numbers. Text without
 * sixteen digits in a row takes the platform's fast path. Integers of more than ten thousand characters are infinite, as `1e999` is.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!longDigits.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepBigIntegers);
}

/**
 * Reads JSON as a client does: all numbers are numbers. Integers beyond ±(2^53 - 1) are rounded, and their digits are kept beside the
 * object or list that holds them: {@link stringifyJson} writes them where the number is unchanged, `exactInteger` returns them.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseJsonNumbers(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!longDigits.test(text) || !longInteger.test(text)) return value;
  for (const { holder, key, start, end } of numericTokens(text, value)) {
    if (end - start < 16 || end - start > mostDigits) continue;
    const digits = text.slice(start, end);
    if (integer.test(digits) && !Number.isSafeInteger(Number(digits))) keepInteger(holder, key, BigInt(digits));
  }
  return value;
}

/**
 * Writes JSON: the opposite of {@link parseJson} and {@link parseJsonNumbers}. A `bigint` is written as a number.
 *
 * @throws {TypeError} if the value refers to itself
 */
export function stringifyJson(value: unknown, indent?: number): string {
  const text = written(value, indent);
  return mayHaveKept(text) ? withKeptIntegers(text, value) : text;
}

function written(value: unknown, indent: number | undefined): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? "null";
  } catch (error) {
    if (!(error instanceof TypeError) || !/bigint/i.test(error.message)) throw error;
    return JSON.stringify(value, writeBigIntegers, indent);
  }
}

function withKeptIntegers(text: string, value: unknown): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { holder, key, start, end } of numericTokens(text, value)) {
    const digits = keptInteger(holder, key);
    // An object with `toJSON` may be written as something else.
    if (digits === undefined || Number(digits) !== numberOf(text.slice(start, end))) continue;
    parts.push(text.slice(copied, start), digits.toString());
    copied = end;
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied);
}

const numberOf = (token: string): number => (token === "null" ? Number.POSITIVE_INFINITY : Number(token));

function keepBigIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && source.length <= mostDigits && integer.test(source) ? BigInt(source) : value;
}

const writeBigIntegers = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
