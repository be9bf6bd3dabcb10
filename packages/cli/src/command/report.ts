import type { Io } from "../process/io.ts";
import type { CommonFlags } from "./context.ts";
import { onOneLine } from "./printable.ts";

/** Prints the results of a command: as lines, as one document with `--json`, or only errors with `--quiet`. */
export class Report<T extends object> {
  readonly #io: Io;
  readonly #flags: CommonFlags;
  readonly #items: T[] = [];

  constructor(io: Io, flags: CommonFlags) {
    this.#io = io;
    this.#flags = flags;
  }

  /**
   * Adds the result for one item.
   *
   * @param line one or more lines to print; absent if the item appears only in the JSON document. A line break within a line becomes "; ".
   */
  add(item: T, line?: string | readonly string[], isError = false): void {
    this.#items.push(item);
    if (line === undefined || (this.#flags.json && !isError)) return;
    const lines = typeof line === "string" ? [line] : line;
    const text = lines.map((one) => `${onOneLine(one)}\n`).join("");
    if (isError) this.#io.err(text);
    else if (!this.#flags.quiet) this.#io.out(text);
  }

  end(more: object = {}): void {
    if (this.#flags.json) this.#io.out(`${JSON.stringify({ items: this.#items, ...more }, undefined, 2)}\n`);
  }
}
