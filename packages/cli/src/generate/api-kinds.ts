import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import { type QueryOptions, queryProgram } from "./query-program.ts";

/** One of the project's kinds, with the module that defines it. */
export interface ApiKind {
  /** Path of the module, such as `src/api/site.ts`. */
  readonly path: string;
  readonly exportName: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: string;
  /** The kind's CRD, with only this version. */
  readonly crd: object;
}

/**
 * Imports the modules in `src/api` and returns the kinds that they export, sorted by path.
 *
 * @throws {CommandError} if a module cannot be imported
 */
export async function apiKinds(root: string, options: QueryOptions): Promise<readonly ApiKind[]> {
  const paths = modulesIn(root);
  if (paths.length === 0) return [];
  const about = { asked: "src/api", waiting: "modules that it imports" };
  const { kinds } = await queryProgram(root, { question: "kinds", paths, ...about }, options);
  return Array.isArray(kinds) ? kinds.filter(isApiKind) : [];
}

const isApiKind = (value: unknown): value is ApiKind =>
  isRecord(value) &&
  isRecord(value.crd) &&
  ["path", "exportName", "group", "version", "kind", "plural", "scope"].every(
    (name) => typeof value[name] === "string",
  );

function modulesIn(root: string): string[] {
  const folder = join(root, "src/api");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name) && !/^index\.ts$|\.(?:test|d)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}
