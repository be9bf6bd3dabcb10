import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { parseAllDocuments } from "yaml";

const extensions = new Set([".yaml", ".yml", ".json"]);

/**
 * Reads the documents in a file, or in all files in a folder (sorted by name). Returns `undefined` if the
 * path does not exist.
 *
 * @throws {Error} if a file is not YAML
 *
 */
export function documentsAt(path: string): unknown[] | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return documentsIn(path);
  return readdirSync(path)
    .sort()
    .filter((name) => extensions.has(extname(name)))
    .flatMap((name) => documentsIn(join(path, name)));
}

function documentsIn(file: string): unknown[] {
  return parseAllDocuments(readFileSync(file, "utf8")).map((document) => {
    const [problem] = document.errors;
    if (problem) throw new Error(`${file} is not YAML: ${problem.message.split("\n")[0]}`, { cause: problem });
    return document.toJS() as unknown;
  });
}
