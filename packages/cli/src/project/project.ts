import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import { UsageError } from "../command/errors.ts";

/** What `kubewright.json` says. */
export interface ProjectFile {
  readonly name: string;
  readonly domain: string;
  /** Of the scaffold. */
  readonly version: string;
  /** Whether it looks into its own namespace only. */
  readonly namespaced: boolean;
  readonly ci: "github" | "none";
  /** Image that the program is put on, by digest. Absent: none was chosen yet. */
  readonly base?: string | undefined;
}

export interface Project extends ProjectFile {
  /** Absolute. */
  readonly root: string;
}

export const projectFileName = "kubewright.json";

/** The project that a folder is in. @throws {UsageError} if there is none, or its file says something that cannot be */
export function findProject(from: string): Project {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, projectFileName);
    if (existsSync(path)) return { ...readProject(path), root: folder };
    if (dirname(folder) === folder) throw new UsageError("not a kubewright project: run kubewright init");
  }
}

function readProject(path: string): ProjectFile {
  const wrong = (problem: string): UsageError => new UsageError(`${path}: ${problem}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw wrong(`cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const { name, domain, version, namespaced = false, ci = "none", base } = isRecord(value) ? value : {};
  for (const [field, found] of Object.entries({ name, domain, version }))
    if (typeof found !== "string" || found === "") throw wrong(`${field}: ${JSON.stringify(found)}: must be text`);
  if (typeof namespaced !== "boolean") throw wrong(`namespaced: ${JSON.stringify(namespaced)}: must be true or false`);
  if (ci !== "github" && ci !== "none") throw wrong(`ci: ${JSON.stringify(ci)}: must be github or none`);
  if (base !== undefined && typeof base !== "string") throw wrong(`base: ${JSON.stringify(base)}: must be text`);
  const chosen = base === undefined ? {} : { base };
  return { name: String(name), domain: String(domain), version: String(version), namespaced, ci, ...chosen };
}
