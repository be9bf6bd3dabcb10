import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { digestOf, filesOf, kept } from "../kept.ts";
import { type Entry, keptIn, root, stage } from "../workspace.ts";
import { pagesUnder, writeApi } from "./api.ts";
import { type Export, exportsOf } from "./exports.ts";

/** The reference generated from the types of the packages. */
interface Reference {
  readonly exported: readonly Export[];
  /** Pages, keyed by path from the root. */
  readonly pages: readonly (readonly [string, string])[];
}

/** All files on which the reference depends. They include the lockfile, which determines the compiler's version. */
const madeOf = [
  "packages/*/package.json",
  "packages/*/src/**/*.ts",
  "tools/docs/src/reference/{api,exports,reference}.ts",
  "tsconfig.base.json",
  "package-lock.json",
];

/**
 * Returns the exports and pages of the public entries. They are generated from the sources, or come from the cache if
 * no source has changed.
 */
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
