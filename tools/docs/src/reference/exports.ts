import { join } from "node:path";
import ts from "typescript";
import { type Entry, root } from "../workspace.ts";

/** A name that a public entry exports. */
export interface Export {
  readonly name: string;
  readonly entry: Entry;
  /** Where it is declared, relative to the root. */
  readonly file: string;
  readonly line: number;
  /** Whether its declaration has a comment. */
  readonly isDescribed: boolean;
  /** What that comment says, without its tags. */
  readonly comment: string;
  /** Whether it is a class of errors. */
  readonly isError: boolean;
}

/** What the public entries export, as the compiler sees it: independent of what TypeDoc writes. */
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

/** A class among whose ancestors is `Error`. */
function isError(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  if (!(symbol.flags & ts.SymbolFlags.Class)) return false;
  const ancestors = (type: ts.Type): readonly ts.Type[] => [type, ...(type.getBaseTypes() ?? []).flatMap(ancestors)];
  return ancestors(checker.getDeclaredTypeOfSymbol(symbol)).some((type) => type.symbol.name === "Error");
}
