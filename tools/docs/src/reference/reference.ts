import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { digestOf, filesOf, kept } from "../kept.ts";
import { type Entry, keptIn, root, stage } from "../workspace.ts";
import { pagesUnder, writeApi } from "./api.ts";
import { type Export, exportsOf } from "./exports.ts";

/** What is printed from the types of the packages. */
interface Reference {
  readonly exported: readonly Export[];
  /** By path from the root. */
  readonly pages: readonly (readonly [string, string])[];
}

/** All that it follows from; the lockfile says with which compiler. */
const madeOf = [
  "packages/*/package.json",
  "packages/*/src/**/*.ts",
  "tools/docs/src/reference/{api,exports,reference}.ts",
  "tsconfig.base.json",
  "package-lock.json",
];

/** Exports and pages of the public entries, read from the sources or, if none of them has changed since, as they were. */
export async function referenceOf(entries: readonly Entry[]): Promise<Reference> {
  const files = filesOf(root, madeOf);
  const key = digestOf(new Map([...files].filter(([name]) => !name.endsWith(".test.ts"))));
  const { value } = await kept(join(keptIn, "reference.json"), key, () => read(entries));
  return value;
}

async function read(entries: readonly Entry[]): Promise<Reference> {
  const api = join(stage, "reference/api");
  rmSync(api, { recursive: true, force: true });
  const exported = exportsOf(entries, await writeApi(entries, api));
  const pages = pagesUnder(api).filter((path) => path !== "README.md");
  return {
    exported,
    pages: pages.map((path) => [`docs/reference/api/${path}`, readFileSync(join(api, path), "utf8")]),
  };
}
