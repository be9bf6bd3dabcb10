/**
 * Converts a string to a number as Lua's `tonumber` does: accepts decimal and hexadecimal numbers, exponents, and
 * surrounding white space. Returns NaN for any other text.
 */
export function luaNumber(text: string): number {
  const trimmed = text.trim();
  if (/^[-+]?0[xX][\da-fA-F]+$/.test(trimmed)) {
    return trimmed.startsWith("-") ? -Number(trimmed.slice(1)) : Number(trimmed.replace(/^\+/, ""));
  }
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}
