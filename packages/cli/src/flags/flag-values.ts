import { parseGoDuration } from "@kubewright/apimachinery";
import { parseCsv } from "./csv.ts";
import type { FlagTable } from "./flag-table.ts";
import { booleanOf } from "./go-numbers.ts";

/** Values of a parsed command line, converted according to each flag's type. */
export class FlagValues {
  readonly #table: FlagTable;
  readonly #given: ReadonlyMap<string, readonly string[]>;

  constructor(table: FlagTable, given: ReadonlyMap<string, readonly string[]>) {
    this.#table = table;
    this.#given = given;
  }

  /** Names of the given flags, in order of first appearance. */
  get names(): string[] {
    return [...this.#given.keys()];
  }

  has(name: string): boolean {
    return this.#given.has(name);
  }

  /** Returns the last given value, or the default; empty if there is no default either. */
  text(name: string): string {
    return this.given(name) ?? this.#table.get(name)?.default ?? "";
  }

  /** Returns the last given value, or undefined if the flag was not given. */
  given(name: string): string | undefined {
    return this.#given.get(name)?.at(-1);
  }

  boolean(name: string): boolean {
    return booleanOf(this.text(name)) ?? false;
  }

  number(name: string): number {
    return Number(this.text(name));
  }

  milliseconds(name: string): number {
    return Number(parseGoDuration(this.text(name)) ?? 0n) / 1e6;
  }

  /** Returns all given values unchanged. */
  texts(name: string): readonly string[] {
    return this.#given.get(name) ?? [];
  }

  /** Returns the comma-separated parts of all values. */
  list(name: string): string[] {
    const texts = this.#given.get(name) ?? [this.#table.get(name)?.default ?? ""];
    return texts.flatMap((text) => {
      const parsed = parseCsv(text);
      return "fields" in parsed ? parsed.fields : [];
    });
  }

  /** Parses comma-separated pairs `key=value`. */
  map(name: string): Record<string, string> {
    const pairs = this.texts(name).flatMap((text) => text.split(",").filter(Boolean));
    return Object.fromEntries(
      pairs.map((pair) => {
        const [key = "", ...value] = pair.split("=");
        return [key.trim(), value.join("=").trim()];
      }),
    );
  }
}
