/** What Lua's `tonumber` makes of a text: decimal, hexadecimal and exponents, blanks around; else NaN. */
export function luaNumber(text: string): number {
  const trimmed = text.trim();
  if (/^[-+]?0[xX][\da-fA-F]+$/.test(trimmed)) {
    return trimmed.startsWith("-") ? -Number(trimmed.slice(1)) : Number(trimmed.replace(/^\+/, ""));
  }
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}
