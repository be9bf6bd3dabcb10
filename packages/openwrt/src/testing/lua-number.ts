/** Converts a text like Lua's `tonumber`: decimal, hexadecimal and exponents, with surrounding blanks; otherwise NaN. */
export function luaNumber(text: string): number {
  const trimmed = text.trim();
  if (/^[-+]?0[xX][\da-fA-F]+$/.test(trimmed)) {
    return trimmed.startsWith("-") ? -Number(trimmed.slice(1)) : Number(trimmed.replace(/^\+/, ""));
  }
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}
