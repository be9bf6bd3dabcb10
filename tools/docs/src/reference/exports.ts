import { join } from "node:path";
import ts from "typescript";
import { type Entry, root } from "../workspace.ts";

/** A name that a public entry exports. */
export interface Export {
  readonly name: string;
  readonly entry: Entry;
  /** File that declares the name, relative to the root. */
  readonly file: string;
  readonly line: number;
  /** True if the declaration has a comment. */
  readonly isDescribed: boolean;
  /** Text of the declaration's comment, without tags. */
  readonly comment: string;
  /** True if the export is an error class. */
  readonly isError: boolean;
}

/** Returns the exports of the public entries according to the compiler, independently of TypeDoc. */
export function exportsOf(entries: readonly Entry[], program: ts.Program): readonly Export[] {
  const checker = program.getTypeChecker();
  return entries.flatMap((entry) => {
    const source = program.getSourceFile(join(root, entry.file));
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) return [];
    return checker.getExportsOfModule(module).map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const [declaration] = target.declarations ?? [];
      const tree = declaration?.getSourceFile();
      const position = declaration && tree ? tree.getLineAndCharacterOfPosition(declaration.getStart()).line + 1 : 1;
      const file = tree ? tree.fileName.slice(root.length + 1) : entry.file;
      const isDescribed = target.getDocumentationComment(checker).length > 0;
      const comment = ts.displayPartsToString(target.getDocumentationComment(checker));
      return {
        name: symbol.name,
        entry,
        file,
        line: position,
        isDescribed,
        comment,
        isError: isError(checker, target),
      };
    });
  });
}

/** Reports whether a class extends `Error`, directly or indirectly. */
function isError(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  if (!(symbol.flags & ts.SymbolFlags.Class)) return false;
  const ancestors = (type: ts.Type): readonly ts.Type[] => [type, ...(type.getBaseTypes() ?? []).flatMap(ancestors)];
  return ancestors(checker.getDeclaredTypeOfSymbol(symbol)).some((type) => type.symbol.name === "Error");
}
