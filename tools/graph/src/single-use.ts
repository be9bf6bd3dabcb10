import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Import } from "./imports.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** Lines from which a file with one importer earns its place. */
const fewestLines = 80;
const record = "tools/graph/single-use.json";

/**
 * Returns the sources of a package that have one importer, no export of the package, and less than 80 lines: they belong in the file of their
 * importer. Files that nothing imports are entry points. Tests, `testing/` and every `index.ts` do not count.
 *
 * @param files sources relative to the package's `src`
 */
export function singleUseFiles(
  root: string,
  { folder }: WorkspacePackage,
  files: readonly string[],
  imports: readonly Import[],
): readonly string[] {
  const importers = new Map<string, Set<string>>();
  const exported = new Set<string>();
  for (const { file, specifier } of imports) {
    const from = posix.relative(`${folder}/src`, file);
    if (!specifier.startsWith(".") || isApart(from)) continue;
    const to = posix.join(posix.dirname(from), specifier);
    if (posix.basename(from) === "index.ts") exported.add(to);
    else importers.set(to, (importers.get(to) ?? new Set()).add(from));
  }
  const manifest = readFileSync(join(root, folder, "package.json"), "utf8");
  return files.filter(
    (file) =>
      !isApart(file) &&
      posix.basename(file) !== "index.ts" &&
      importers.get(file)?.size === 1 &&
      !exported.has(file) &&
      !manifest.includes(`./src/${file}"`) &&
      linesOf(join(root, folder, "src", file)) < fewestLines,
  );
}

const isApart = (file: string): boolean =>
  file.startsWith("..") || file.endsWith(".test.ts") || file.endsWith(".d.ts") || /(^|\/)testing\//.test(file);

const linesOf = (path: string): number => readFileSync(path, "utf8").split("\n").length - 1;

/**
 * Compares the number of such files with the recorded one, which may only fall. A package that is not recorded may have none; a workspace
 * without a record is not checked.
 *
 * @returns what is wrong, as sentences
 */
export function singleUseViolations(root: string, one: WorkspacePackage, found: readonly string[]): readonly string[] {
  if (!existsSync(join(root, record))) return [];
  const numbers = JSON.parse(readFileSync(join(root, record), "utf8")) as Readonly<Record<string, number>>;
  const most = numbers[one.folder] ?? 0;
  if (found.length === most) return [];
  if (found.length < most) return [`${record}: ${one.folder} has ${found.length} single-use files; record that number`];
  const rule = `has one importer, no export of the package, and less than ${fewestLines} lines; move it into the file that imports it`;
  const over =
    most === 0 ? "" : ` (${found.length} such files in ${one.folder}, and ${most} are recorded in ${record})`;
  return found.map((file) => `${one.folder}/src/${file}: ${rule}${over}`);
}
