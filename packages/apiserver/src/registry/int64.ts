/** Digits of the largest int64 and a sign, without leading zeros. */
const most = 20;

/** Reports whether digits with an optional sign are within an int64. Takes linear time. */
export function isInt64(text: string): boolean {
  const digits = text.replace(/^([+-]?)0+(?=\d)/, "$1");
  if (digits.length > most) return false;
  const value = BigInt(digits.replace("+", ""));
  return BigInt.asIntN(64, value) === value;
}
