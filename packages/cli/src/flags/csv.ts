/** One line of comma-separated values as Go's encoding/csv reads it; or what is wrong with it, in its words. */
export function parseCsv(text: string): { readonly fields: readonly string[] } | { readonly error: string } {
  if (text === "") return { fields: [] };
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] !== '"') {
      const end = text.indexOf(",", at);
      const field = text.slice(at, end < 0 ? undefined : end);
      const bare = field.indexOf('"');
      if (bare >= 0) return { error: `parse error on line 1, column ${at + bare + 1}: bare " in non-quoted-field` };
      fields.push(field);
      if (end < 0) return { fields };
      at = end + 1;
      continue;
    }
    let field = "";
    let from = at + 1;
    for (;;) {
      const end = text.indexOf('"', from);
      if (end < 0)
        return { error: `parse error on line 1, column ${text.length + 1}: extraneous or missing " in quoted-field` };
      field += text.slice(from, end);
      from = end + 1;
      if (text[from] !== '"') break;
      field += '"';
      from++;
    }
    fields.push(field);
    if (from >= text.length) return { fields };
    if (text[from] !== ",")
      return { error: `parse error on line 1, column ${from}: extraneous or missing " in quoted-field` };
    at = from + 1;
  }
}
