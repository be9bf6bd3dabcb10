/** Digits of the largest int64 and a sign, without leading zeros. */
const most = 20;

/** Whether digits, perhaps with a sign, are within an int64. Text of any length is told in time of its length. */
export function isInt64(text: string): boolean {
  const digits = text.replace(/^([+-]?)0+(?=\d)/, "$1");
  if (digits.length > most) return false;
  const value = BigInt(digits.replace("+", ""));
  return BigInt.asIntN(64, value) === value;
}
