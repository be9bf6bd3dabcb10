import { quote } from "@kubewright/apimachinery";

/** Returns the error of Go's strconv if the text is not a number; otherwise undefined. */
export type NumberCheck = (text: string) => string | undefined;

const integer = /^[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|[1-9][0-9_]*|0)$/;

function check(call: string, pattern: RegExp, min: bigint, max: bigint): NumberCheck {
  return (text) => {
    if (!pattern.test(text)) return `strconv.${call}: parsing ${quote(text)}: invalid syntax`;
    const value = integerOf(text);
    return value < min || value > max ? `strconv.${call}: parsing ${quote(text)}: value out of range` : undefined;
  };
}

/** Parses an integer literal of Go. */
function integerOf(text: string): bigint {
  const digits = text.replaceAll("_", "").replace(/^[+-]/, "");
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  return text.startsWith("-") ? -BigInt(octal) : BigInt(octal);
}

const unsigned = new RegExp(integer.source.replace("[+-]?", ""));
export const parseInt64: NumberCheck = check("ParseInt", integer, -(2n ** 63n), 2n ** 63n - 1n);
export const parseInt32: NumberCheck = check("ParseInt", integer, -(2n ** 31n), 2n ** 31n - 1n);
export const parseUint64: NumberCheck = check("ParseUint", unsigned, 0n, 2n ** 64n - 1n);
export const parseUint32: NumberCheck = check("ParseUint", unsigned, 0n, 2n ** 32n - 1n);
export const atoi: NumberCheck = check("Atoi", /^[+-]?\d+$/, -(2n ** 63n), 2n ** 63n - 1n);

export const parseFloat64: NumberCheck = (text) =>
  /^[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i.test(text)
    ? undefined
    : `strconv.ParseFloat: parsing ${quote(text)}: invalid syntax`;

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

/** Parses a boolean as Go does; undefined if the text is not valid. */
export const booleanOf = (text: string): boolean | undefined => booleans.get(text);

export const parseBool = (text: string): string | undefined =>
  booleans.has(text) ? undefined : `strconv.ParseBool: parsing ${quote(text)}: invalid syntax`;
