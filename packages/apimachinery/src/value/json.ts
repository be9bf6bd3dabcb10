declare global {
  interface JSON {
    /** Text that `JSON.stringify` writes as it is. Absent from the library types of this language level. */
    rawJSON(text: string): unknown;
  }
}

/** Only such text can hold an integer that a double cannot. */
const longDigits = /\d{16}/;
const integer = /^-?\d+$/;
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
 * Writes JSON: the opposite of {@link parseJson}. A `bigint` is written as a number.
 *
 * @throws {TypeError} if the value refers to itself
 */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? "null";
  } catch (error) {
    if (!(error instanceof TypeError) || !/bigint/i.test(error.message)) throw error;
    return JSON.stringify(value, writeBigIntegers, indent);
  }
}

function keepBigIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && source.length <= mostDigits && integer.test(source) ? BigInt(source) : value;
}

const writeBigIntegers = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
