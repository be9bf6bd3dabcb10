import type { Random } from "@kubewright/clock";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;

/**
 * Generates a name: `base` (truncated so that the name fits into a label), followed by five random characters chosen so
 * that they cannot form words.
 *
 * @see apiserver pkg/storage/names
 */
export function generateName(base: string, random: Random): string {
  let suffix = "";
  for (let i = 0; i < suffixLength; i++) suffix += alphabet[random.integer(alphabet.length)] ?? "";
  return base.slice(0, maxBaseLength) + suffix;
}
