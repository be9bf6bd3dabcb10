import { quote } from "@kubewright/apimachinery";

const integer = /^[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|[1-9][0-9_]*|0)$/;

/** Returns Go's strconv error if the text is not a 64-bit integer, otherwise undefined. */
export function parseInt64(text: string): string | undefined {
  if (!integer.test(text)) return `strconv.ParseInt: parsing ${quote(text)}: invalid syntax`;
  return BigInt.asIntN(64, integerOf(text)) === integerOf(text)
    ? undefined
    : `strconv.ParseInt: parsing ${quote(text)}: value out of range`;
}

/** Parses an integer literal of Go. */
function integerOf(text: string): bigint {
  const digits = text.replaceAll("_", "").replace(/^[+-]/, "");
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  return text.startsWith("-") ? -BigInt(octal) : BigInt(octal);
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

/** Parses a boolean as Go does. Returns undefined if the text is not valid. */
export const booleanOf = (text: string): boolean | undefined => booleans.get(text);

export const parseBool = (text: string): string | undefined =>
  booleans.has(text) ? undefined : `strconv.ParseBool: parsing ${quote(text)}: invalid syntax`;
