const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\t", "\\t"],
  ["\r", "\\r"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\v", "\\v"],
]);

/** As Go's `%q` shows a text: in double quotes, with what cannot be printed escaped. */
export function quote(text: string): string {
  return `"${[...text].map(shown).join("")}"`;
}

function shown(char: string): string {
  const code = char.charCodeAt(0);
  const isControl = code < 0x20 || code === 0x7f;
  return escapes.get(char) ?? (isControl ? `\\x${code.toString(16).padStart(2, "0")}` : char);
}
