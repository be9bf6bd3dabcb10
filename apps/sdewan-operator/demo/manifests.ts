import { readdir, readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { basename, dirname, extname, join } from "node:path";
import type { Unstructured } from "@kubewright/apimachinery";
import { type DocumentOptions, type ParseOptions, parseAllDocuments, type SchemaOptions } from "yaml";
import { UserError } from "../src/cli/user-error.ts";

/** Returns the path of a folder of this app, for the sources as well as for the built files. */
export const inApp = (folder: string): string => join(dirname(findPackageJSON(import.meta.url) ?? ""), folder);

const extensions = [".yaml", ".yml", ".json"];

/** Files among manifests that do not contain Kubernetes objects to apply. */
const others = ["kustomization.yaml", "kustomization.yml", "observed.json"];

/**
 * Returns the objects in the files of a folder and its subfolders, in the order of the file names, parsed like kubectl does.
 *
 * @throws {UserError} if the folder or a file in it cannot be read, or is not YAML
 */
export async function readManifests(folder: string): Promise<Unstructured[]> {
  const files = await filesIn(folder);
  return (await Promise.all(files.map((file) => objectsIn(join(folder, file))))).flat();
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names.filter((name) => extensions.includes(extname(name)) && !others.includes(basename(name))).sort();
  } catch (error) {
    throw new UserError(`cannot read the folder ${folder}`, { cause: error });
  }
}

async function objectsIn(file: string): Promise<Unstructured[]> {
  try {
    const documents = parseAllDocuments(await readFile(file, "utf8"), asKubectl);
    return documents.flatMap((document) => {
      const [error] = document.errors;
      if (error) throw error;
      return objectsOf(document.toJS());
    });
  } catch (error) {
    throw new UserError(`cannot read ${file}`, { cause: error });
  }
}

/** Options for parsing YAML as kubectl does: YAML 1.1 with merge keys, but dates and base-60 numbers are text. */
const asKubectl: DocumentOptions & ParseOptions & SchemaOptions = {
  version: "1.1",
  customTags: (tags) =>
    tags.filter(
      (tag) =>
        typeof tag !== "object" || !(tag.tag.endsWith(":timestamp") || ("format" in tag && tag.format === "TIME")),
    ),
};

/** Returns the objects of a document: none for an empty document, several for a list. */
function objectsOf(value: unknown): Unstructured[] {
  if (value === null || value === undefined) return [];
  if (isList(value)) return value.items.flatMap(objectsOf);
  if (!isObject(value)) throw new Error("not a Kubernetes object");
  return [value];
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  if (typeof value !== "object" || value === null) return false;
  const { kind, items } = value as Record<string, unknown>;
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items);
}

function isObject(value: unknown): value is Unstructured {
  if (typeof value !== "object" || value === null) return false;
  const { apiVersion, kind, metadata } = value as Record<string, unknown>;
  return (
    typeof apiVersion === "string" && typeof kind === "string" && typeof metadata === "object" && metadata !== null
  );
}
