import { dirname, extname } from "node:path";
import ts from "typescript";
import type { Export } from "../reference/exports.ts";
import { type Finding, linesOf } from "./finding.ts";
import { withRegions } from "./regions.ts";

/**
 * Finds imports in a page's programs that no package exports, for example renamed names or removed entries.
 *
 * @param text source text of the page, in which regions are named but not filled in
 */
export function unknownImports(
  root: string,
  file: string,
  text: string,
  exported: readonly Pick<Export, "name" | "entry">[],
): readonly Finding[] {
  const doors = Map.groupBy(exported, ({ entry }) => entry.specifier);
  const names = new Map([...doors].map(([door, all]) => [door, new Set(all.map(({ name }) => name))]));
  return programsOf(root, file, text).flatMap(({ code, line, isRegion }) =>
    importsOf(code).flatMap(({ specifier, name, at }) => {
      if (!/^(?:kubewright|@kubewright\/.*)$/.test(specifier)) return [];
      const known = names.get(specifier);
      const where = { file, line: isRegion ? line : line + at };
      if (!known) return [{ ...where, message: `no package has the imported entry "${specifier}"` }];
      return known.has(name) ? [] : [{ ...where, message: `${specifier} does not export the imported name ${name}` }];
    }),
  );
}

interface Program {
  readonly code: string;
  /** Line of the program's fence, or line that names the program's region. */
  readonly line: number;
  readonly isRegion: boolean;
}

function programsOf(root: string, file: string, text: string): readonly Program[] {
  const lines = linesOf(text);
  const programs: Program[] = [];
  for (const [index, { line, isCode }] of lines.entries()) {
    if (
      isCode &&
      /^```ts\b/.test(line) &&
      !(lines[index - 1]?.isCode && !/^```\s*$/.test(lines[index - 1]?.line ?? ""))
    ) {
      const end = lines.findIndex(({ line }, at) => at > index && /^```\s*$/.test(line));
      const body = lines.slice(index + 1, end < 0 ? lines.length : end);
      programs.push({ code: body.map(({ line }) => line).join("\n"), line: index + 1, isRegion: false });
    } else if (!isCode && line.startsWith("<<< ") && extname(line.split("#", 1)[0]?.trim() ?? "") === ".ts")
      programs.push({ code: withRegions(root, `${dirname(file)}/one.md`, line).text, line: index + 1, isRegion: true });
  }
  return programs;
}

function importsOf(
  code: string,
): readonly { readonly specifier: string; readonly name: string; readonly at: number }[] {
  const tree = ts.createSourceFile("a.ts", code.replace(/^```ts$/m, ""), ts.ScriptTarget.Latest, true);
  return tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const specifier = statement.moduleSpecifier.text;
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) return [];
    return bindings.elements.map(({ name, propertyName }) => ({
      specifier,
      name: (propertyName ?? name).text,
      at: tree.getLineAndCharacterOfPosition(statement.getStart()).line + 1,
    }));
  });
}
