import { keepInteger, keptInteger, mayHaveKept, numericTokens } from "./exact-integers.ts";

declare global {
  interface JSON {
    /** Returns a text that `JSON.stringify` writes unchanged. Absent from the TypeScript library of this language level. */
    rawJSON(text: string): unknown;
  }
}

/** Only such a text can contain an integer that a double cannot represent. */
const longDigits = /\d{16}/;
const integer = /^-?\d+$/;
/** Skips digests and identifiers, which contain most long sequences of digits. */
const longInteger = /[:,[\s]-?\d{16}/;
/** Maximum length of an integer that becomes a `bigint`, because longer ones take long to parse. Longer integers become infinity. */
const mostDigits = 10_000;

/**
 * Parses JSON. Integers beyond ±(2^53 - 1) become `bigint` and are not rounded; all other numbers are of type `number`. Uses the faster
 * built-in parser for texts without 16 consecutive digits. Integers of more than 10,000 characters become infinity, like `1e999`.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!longDigits.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepBigIntegers);
}

/**
 * Parses JSON as clients do: all numbers are of type `number`. Integers beyond ±(2^53 - 1) are rounded, but their exact values are stored:
 * {@link stringifyJson} writes them where the number has not changed, and `exactInteger` returns them.
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
 * Writes JSON, as the inverse of {@link parseJson} and {@link parseJsonNumbers}. Writes a `bigint` as a number.
 *
 * @throws {TypeError} if the value contains a circular reference
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
    // An object with `toJSON` may have been written differently.
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
