import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ImportGraph } from "./import-graph.ts";
import type { Reached } from "./reach.ts";

/** Record of a test file that passed without a mutant. */
export interface TestRecord {
  readonly tookMs: number;
  /** Regions that the tests reached. Undefined if the tests pass only without recording. */
  readonly reached?: Reached;
}

/**
 * Records, keyed by test file. A record is cached in `folder` until the test or a file that the test imports changes.
 */
export class Records {
  readonly #folder: string | undefined;
  readonly #graph: ImportGraph;
  readonly #known = new Map<string, TestRecord>();

  constructor(graph: ImportGraph, folder: string | undefined) {
    this.#graph = graph;
    this.#folder = folder;
  }

  get(spec: string): TestRecord | undefined {
    const known = this.#known.get(spec) ?? this.#read(spec);
    if (known) this.#known.set(spec, known);
    return known;
  }

  set(spec: string, record: TestRecord): void {
    this.#known.set(spec, record);
    if (this.#folder === undefined) return;
    mkdirSync(this.#folder, { recursive: true });
    const path = this.#pathOf(spec);
    writeFileSync(`${path}.${process.pid}`, JSON.stringify({ key: this.#keyOf(spec), record }));
    renameSync(`${path}.${process.pid}`, path);
  }

  #read(spec: string): TestRecord | undefined {
    if (this.#folder === undefined) return undefined;
    try {
      const kept = JSON.parse(readFileSync(this.#pathOf(spec), "utf8")) as { key: string; record: TestRecord };
      return kept.key === this.#keyOf(spec) ? kept.record : undefined;
    } catch {
      return undefined; // missing or truncated; it is recorded again
    }
  }

  #pathOf(spec: string): string {
    return join(this.#folder ?? "", `${hash(spec)}.json`);
  }

  #keyOf(spec: string): string {
    const files = [...this.#graph.distancesFrom(spec).keys()].sort();
    return hash(files.map((file) => `${file}\n${this.#graph.textOf(file)}`).join("\n"));
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
