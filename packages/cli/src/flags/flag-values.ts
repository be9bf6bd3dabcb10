import { parseGoDuration } from "@kubewright/apimachinery";
import { parseCsv } from "./csv.ts";
import type { FlagTable } from "./flag-table.ts";
import { booleanOf } from "./go-numbers.ts";

/** What a command line set: the texts of each flag's values, read as its type says. */
export class FlagValues {
  readonly #table: FlagTable;
  readonly #given: ReadonlyMap<string, readonly string[]>;

  constructor(table: FlagTable, given: ReadonlyMap<string, readonly string[]>) {
    this.#table = table;
    this.#given = given;
  }

  /** Names of the flags that were given, in the order of their first appearance. */
  get names(): string[] {
    return [...this.#given.keys()];
  }

  has(name: string): boolean {
    return this.#given.has(name);
  }

  /** Given, and as something else than the default. */
  differs(name: string): boolean {
    const text = this.#given.get(name)?.join(",");
    return text !== undefined && text !== (this.#table.get(name)?.default ?? this.#zero(name));
  }

  /** The last value, the default where the flag was not given; empty where there is none. */
  text(name: string): string {
    return this.given(name) ?? this.#table.get(name)?.default ?? "";
  }

  /** The last value that was given. */
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

  /** Each value as it was given. */
  texts(name: string): readonly string[] {
    return this.#given.get(name) ?? [];
  }

  /** The parts of all values, separated by commas. */
  list(name: string): string[] {
    const texts = this.#given.get(name) ?? [this.#table.get(name)?.default ?? ""];
    return texts.flatMap((text) => {
      const parsed = parseCsv(text);
      return "fields" in parsed ? parsed.fields : [];
    });
  }

  /** Pairs `key=value` separated by commas. */
  map(name: string): Record<string, string> {
    const pairs = this.texts(name).flatMap((text) => text.split(",").filter(Boolean));
    return Object.fromEntries(
      pairs.map((pair) => {
        const [key = "", ...value] = pair.split("=");
        return [key.trim(), value.join("=").trim()];
      }),
    );
  }

  #zero(name: string): string {
    const type = this.#table.get(name)?.type;
    if (type === "bool") return "false";
    if (type === "duration") return "0s";
    return type === "int" || type === "uint" || type === "float" ? "0" : "";
  }
}
