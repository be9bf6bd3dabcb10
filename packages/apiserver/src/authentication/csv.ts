/** Text that is no CSV. The message is that of Go's reader. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}

/**
 * Records of a CSV text as Go's `encoding/csv` reads it: empty lines are passed over, a quoted field may hold commas, line ends and
 * doubled quotes.
 *
 * @throws {CsvError}
 */
export function* readCsv(text: string): IterableIterator<string[]> {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  for (let i = 0; i < lines.length; i++) {
    if (lines[i] === "") continue;
    const start = i;
    const record: string[] = [];
    let line = lines[i] ?? "";
    for (let at = 0; ; ) {
      if (line[at] !== '"') {
        const comma = line.indexOf(",", at);
        const field = line.slice(at, comma < 0 ? undefined : comma);
        const quote = field.indexOf('"');
        if (quote >= 0)
          throw new CsvError(`parse error on line ${i + 1}, column ${at + quote + 1}: bare " in non-quoted-field`);
        record.push(field);
        if (comma < 0) break;
        at = comma + 1;
        continue;
      }
      let field = "";
      at++;
      for (;;) {
        const quote = line.indexOf('"', at);
        if (quote >= 0 && line[quote + 1] === '"') {
          field += line.slice(at, quote + 1);
          at = quote + 2;
        } else if (quote >= 0) {
          field += line.slice(at, quote);
          at = quote + 1;
          break;
        } else {
          field += `${line.slice(at)}\n`;
          const next = lines[++i];
          if (next === undefined)
            throw new CsvError(
              `${start + 1 === i ? "" : `record on line ${start + 1}; `}parse error on line ${i}, column ${line.length + 2}: extraneous or missing " in quoted-field`,
            );
          line = next;
          at = 0;
        }
      }
      record.push(field);
      if (at >= line.length) break;
      if (line[at] !== ",")
        throw new CsvError(`parse error on line ${i + 1}, column ${at}: extraneous or missing " in quoted-field`);
      at++;
    }
    yield record;
  }
}
