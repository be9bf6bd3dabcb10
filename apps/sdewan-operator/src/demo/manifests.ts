import { readdir, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { Unstructured } from "@kubewright/apimachinery";
import { parseAllDocuments } from "yaml";
import { UserError } from "../cli/user-error.ts";

const extensions = [".yaml", ".yml", ".json"];

/**
 * The objects in the files of a folder and of the folders in it, in the order of the files' names.
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
    return names
      .filter((name) => extensions.includes(extname(name)) && !basename(name).startsWith("kustomization."))
      .sort();
  } catch (error) {
    throw new UserError(`cannot read the folder ${folder}`, { cause: error });
  }
}

async function objectsIn(file: string): Promise<Unstructured[]> {
  try {
    const documents = parseAllDocuments(await readFile(file, "utf8"));
    return documents.flatMap((document) => {
      const [error] = document.errors;
      if (error) throw error;
      const value: unknown = document.toJS();
      if (value === null || value === undefined) return [];
      if (!isObject(value)) throw new Error("not a Kubernetes object");
      return [value];
    });
  } catch (error) {
    throw new UserError(`cannot read ${file}`, { cause: error });
  }
}

function isObject(value: unknown): value is Unstructured {
  if (typeof value !== "object" || value === null) return false;
  const { apiVersion, kind, metadata } = value as Record<string, unknown>;
  return (
    typeof apiVersion === "string" && typeof kind === "string" && typeof metadata === "object" && metadata !== null
  );
}
