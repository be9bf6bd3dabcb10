import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { TypeTables } from "@kubewright/codec/schema";
import { output } from "./commands.ts";
import type { GeneratedFile } from "./generated-file.ts";
import { moduleFolders } from "./pinned-module.ts";

const modules = [
  "k8s.io/api",
  "k8s.io/apiextensions-apiserver",
  "k8s.io/apimachinery",
  "k8s.io/kube-aggregator",
  "k8s.io/kubernetes",
];

/**
 * Runs the generator in `go/` on the sources of upstream's modules and returns its tables.
 *
 * @throws {Error} if the packages could not read the tables, or a type refers to a type that no table contains
 */
export async function typeTables(module: string, workFolder: string): Promise<GeneratedFile[]> {
  const folders = moduleFolders(module, modules);
  const generator = join(import.meta.dirname, "..", "go");
  const out = join(workFolder, "tables");
  const program = join(workFolder, "upstream");
  rmSync(out, { recursive: true, force: true }); // removes tables of an earlier run
  output("go", ["build", "-o", program, "."], { folder: generator });
  output(program, ["-out", out, ...[...folders].map(([path, folder]) => `${path}=${folder}`)], { folder: generator });
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  await mustLoad(files);
  return files.map((file) => ({ path: relative(out, file).split(sep).join("/"), text: readFileSync(file, "utf8") }));
}

async function mustLoad(files: readonly string[]): Promise<void> {
  const modules = files.map((file) => import(pathToFileURL(file).href) as Promise<Readonly<Record<string, string>>>);
  const errors = new TypeTables((await Promise.all(modules)).flatMap((exported) => Object.values(exported))).errors();
  if (errors.length > 0)
    throw new Error(
      `${errors.length} generated types cannot be loaded, so nothing was written; correct tools/upstream/go:\n  ${errors.join("\n  ")}`,
    );
}
