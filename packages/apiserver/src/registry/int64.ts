/** Maximum number of characters of an int64: its digits without leading zeros, and a sign. */
const most = 20;

/** Reports whether an integer, given as digits with an optional sign, fits into an int64. Takes linear time. */
export function isInt64(text: string): boolean {
  const digits = text.replace(/^([+-]?)0+(?=\d)/, "$1");
  if (digits.length > most) return false;
  const value = BigInt(digits.replace("+", ""));
  return BigInt.asIntN(64, value) === value;
}
