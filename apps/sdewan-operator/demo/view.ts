import type { WriteStream } from "node:tty";
import type { ObjectRow } from "./object-row.ts";
import { screen } from "./screen.ts";
import type { CnfRow, Snapshot } from "./snapshot.ts";
import { cnfTable } from "./table.ts";

/** Shows the state of the resources. */
export interface View {
  show(snapshot: Snapshot): void;
  /** Prints a message next to the tables. */
  print(text: string): void;
}

/** Redraws tables in place, also when the size of the terminal changes. */
export class TerminalView implements View {
  readonly #out: WriteStream;
  readonly #messages: string[] = [];
  #last: Snapshot = { objects: [], cnfs: [] };

  constructor(out: WriteStream) {
    this.#out = out;
    this.#out.write("\x1b[2J");
    this.#out.on("resize", () => this.show(this.#last));
  }

  show(snapshot: Snapshot): void {
    this.#last = snapshot;
    const { columns: width, rows: height } = this.#out;
    const lines = screen(snapshot, this.#messages, { colours: this.#out.hasColors(), width, height });
    // Move to the top left, write each line and clear its remainder, then clear the rest of the screen.
    this.#out.write(`\x1b[H${lines.map((line) => `${line}\x1b[K\n`).join("")}\x1b[J`);
  }

  print(text: string): void {
    this.#messages.push(text);
    this.show(this.#last);
  }
}

/** Writes a line for each change. */
export class LineView implements View {
  readonly #write: (line: string) => void;
  readonly #shown = new Map<string, string>();

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  show({ objects, cnfs }: Snapshot): void {
    const lines = new Map([...objects.map(objectLine), ...cnfs.map(cnfLine)]);
    for (const [id, line] of lines) if (this.#shown.get(id) !== line) this.#write(`${id} ${line}`);
    for (const id of this.#shown.keys()) if (!lines.has(id)) this.#write(`${id} gone`);
    this.#shown.clear();
    for (const [id, line] of lines) this.#shown.set(id, line);
  }

  print(text: string): void {
    this.#write(text);
  }
}

/** Writes each snapshot as a JSON document, and messages to another stream. */
export class JsonView implements View {
  readonly #write: (line: string) => void;
  readonly #print: (line: string) => void;
  #last = "";

  constructor(write: (line: string) => void, print: (line: string) => void) {
    this.#write = write;
    this.#print = print;
  }

  show(snapshot: Snapshot): void {
    const text = JSON.stringify(snapshot);
    if (text !== this.#last) this.#write(text);
    this.#last = text;
  }

  print(text: string): void {
    this.#print(text);
  }
}

function objectLine({ kind, namespace, name, purpose, state, message }: ObjectRow): [string, string] {
  return [`${kind} ${namespace}/${name}`, [`purpose=${purpose}`, state || "-", message].filter(Boolean).join(" ")];
}

function cnfLine(row: CnfRow): [string, string] {
  const [, line = ""] = cnfTable([row], { colours: false });
  return [`CNF ${row.namespace}/${row.pod}`, line.split(/\s+/).slice(2).join(" ")];
}
