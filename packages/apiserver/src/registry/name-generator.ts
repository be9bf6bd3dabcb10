import { randomInt } from "node:crypto";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;

/** Returns `base` (truncated to fit a label) and five random characters that form no words. @see apiserver pkg/storage/names */
export function generateName(base: string): string {
  let suffix = "";
  for (let i = 0; i < suffixLength; i++) suffix += alphabet[randomInt(alphabet.length)] ?? "";
  return base.slice(0, maxBaseLength) + suffix;
}
