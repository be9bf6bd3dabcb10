import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
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

/** Runs the generator in `go/` on the sources of upstream's modules and returns its tables. */
export function typeTables(module: string, workFolder: string): GeneratedFile[] {
  const folders = moduleFolders(module, modules);
  const generator = join(import.meta.dirname, "..", "go");
  const out = join(workFolder, "tables");
  const program = join(workFolder, "upstream");
  rmSync(out, { recursive: true, force: true }); // removes tables of an earlier run
  output("go", ["build", "-o", program, "."], { folder: generator });
  output(program, ["-out", out, ...[...folders].map(([path, folder]) => `${path}=${folder}`)], { folder: generator });
  return readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: relative(out, file).split(sep).join("/"), text: readFileSync(file, "utf8") }));
}
