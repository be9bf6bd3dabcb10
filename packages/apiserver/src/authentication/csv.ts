import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
/** Thrown for invalid CSV, with the same message as in Go. */
export class CsvError extends KubewrightError {
  override readonly name = "CsvError";
  readonly code = "ERR_CSV";
}

/** Reports whether an error is a {@link CsvError}. */
export const isCsvError = isErrorWithCode<CsvError>("ERR_CSV");

/**
 * Yields the records in a CSV string as Go's `encoding/csv` reads them: empty lines are skipped, and a quoted field may
 * contain commas, line breaks and doubled quotes.
 *
 * @throws {CsvError} if the text is not valid CSV
 */
export function* readCsv(text: string): IterableIterator<string[]> {
  const lines = text.split(/(?<=\n)/).map((line) => line.replace(/\r\n$/, "\n").replace(/\r$/, ""));
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    if (line === "\n" || line === "" || line === undefined) i++;
    else {
      const record = new CsvRecord(lines, i);
      yield record.read();
      i = record.nextLine;
    }
  }
}

/** Parses one CSV record from lines that include their line ends. */
class CsvRecord {
  readonly #lines: readonly string[];
  readonly #first: number;
  #row: number;
  #line: string;
  #at = 0;

  constructor(lines: readonly string[], first: number) {
    this.#lines = lines;
    this.#first = first;
    this.#row = first;
    this.#line = lines[first] ?? "";
  }

  get nextLine(): number {
    return this.#row + 1;
  }

  read(): string[] {
    const record = [];
    do record.push(this.#line[this.#at] === '"' ? this.#quoted() : this.#plain());
    while (this.#line[this.#at++] === ",");
    return record;
  }

  #plain(): string {
    const from = this.#at;
    while (this.#at < this.#line.length && !/[,\n]/.test(this.#line[this.#at] ?? "")) {
      if (this.#line[this.#at] === '"') throw this.#wrong('bare " in non-quoted-field');
      this.#at++;
    }
    return this.#line.slice(from, this.#at);
  }

  #quoted(): string {
    let field = "";
    for (let from = this.#at + 1; ; ) {
      const quote = this.#line.indexOf('"', from);
      if (quote < 0) {
        field += this.#line.slice(from);
        this.#nextRow();
        from = 0;
      } else {
        field += this.#line.slice(from, quote);
        this.#at = quote + 1;
        if (this.#line[this.#at] !== '"') break;
        field += '"';
        from = quote + 2;
      }
    }
    if (/[^,\n]/.test(this.#line[this.#at] ?? "\n")) {
      this.#at--;
      throw this.#wrong(misplacedQuote);
    }
    return field;
  }

  #nextRow(): void {
    const next = this.#lines[this.#row + 1];
    if (!next) {
      this.#at = this.#line.length;
      throw this.#wrong(misplacedQuote);
    }
    this.#line = next;
    this.#row++;
  }

  /** Returns the error for the current position. The position's column is counted in bytes. */
  #wrong(what: string): CsvError {
    const column = Buffer.byteLength(this.#line.slice(0, this.#at)) + 1;
    const record = this.#row === this.#first ? "" : `record on line ${this.#first + 1}; `;
    return new CsvError(`${record}parse error on line ${this.#row + 1}, column ${column}: ${what}`);
  }
}

const misplacedQuote = 'extraneous or missing " in quoted-field';
