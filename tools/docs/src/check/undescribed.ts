import type { Export } from "../reference/exports.ts";
import { type Finding, textOf } from "../site/finding.ts";

/**
 * Finds declarations without a comment, sorted by file and line. Each declaration occurs only once, even if several
 * entries export it.
 */
export function undescribedExports(exported: readonly Export[]): readonly Finding[] {
  const places = new Map<string, { readonly found: Export; readonly specifiers: string[] }>();
  for (const found of exported) {
    if (found.isDescribed) continue;
    const place = `${found.file}:${found.line}:${found.name}`;
    const known = places.get(place) ?? { found, specifiers: [] };
    known.specifiers.push(found.entry.specifier);
    places.set(place, known);
  }
  return [...places.values()]
    .map(({ found: { name, file, line }, specifiers }) => ({
      file,
      line,
      message: `${name}, exported by ${specifiers.join(", ")}, has no comment`,
    }))
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

/** Formats findings as lines, grouped by package. Each group begins with the number of its findings. */
export function byPackage(undescribed: readonly Finding[]): readonly string[] {
  const packages = Map.groupBy(undescribed, ({ file }) => file.split("/", 2).join("/"));
  return [...packages].flatMap(([folder, findings]) => [
    `${folder}: ${findings.length}`,
    ...findings.map((each) => `  ${textOf(each)}`),
  ]);
}
