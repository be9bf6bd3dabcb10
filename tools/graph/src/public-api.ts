import { existsSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import ts from "typescript";

/** The public API of a package, as a text that shows each change as a changed line. */
export interface ApiReport {
  /** Folder of the package, relative to the workspace's root. */
  readonly folder: string;
  readonly text: string;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>;
}

/**
 * Returns the reports of the published packages in `folders`, based on the declaration files that their builds have
 * written.
 *
 * @throws {Error} if a package is not built
 */
export function apiReports(root: string, folders: readonly string[]): readonly ApiReport[] {
  const packages = folders
    .map((folder) => ({
      folder,
      manifest: JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest,
    }))
    .filter(({ manifest }) => !manifest.private)
    .map(({ folder, manifest }) => ({ folder, name: manifest.name, entries: entriesOf(folder, manifest) }));
  const missing = packages
    .flatMap(({ entries }) => [...entries.values()])
    .filter((path) => !existsSync(join(root, path)));
  if (missing.length > 0) throw new Error(`not built: ${missing.join(", ")}; run npm run build first`);
  const files = packages.flatMap(({ entries }) => [...entries.values()].map((path) => join(root, path)));
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  return packages.map(({ folder, name, entries }) => {
    const surface = new Surface(checker, join(root, folder));
    const parts = [...entries].map(([subpath, path]) => {
      const source = program.getSourceFile(join(root, path));
      return `## ${posix.join(name, subpath)}\n\n${source ? surface.entryText(source) : ""}`;
    });
    return { folder, text: [...parts, ...surface.forgotten()].join("\n") };
  });
}

/** Returns the declaration files of the entries that can be imported, keyed by subpath. */
function entriesOf(folder: string, { exports = {} }: Manifest): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(exports).flatMap(([subpath, target]) =>
      typeof target === "object" && target.types ? [[subpath, posix.join(folder, target.types)] as const] : [],
    ),
  );
}

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

class Surface {
  readonly #checker: ts.TypeChecker;
  readonly #folder: string;
  readonly #exported = new Set<ts.Symbol>();
  /** Types of the package that exported declarations mention, with the names of these declarations. */
  readonly #mentioned = new Map<ts.Symbol, Set<string>>();

  constructor(checker: ts.TypeChecker, folder: string) {
    this.#checker = checker;
    this.#folder = folder;
  }

  entryText(source: ts.SourceFile): string {
    const symbol = this.#checker.getSymbolAtLocation(source);
    const exported = symbol ? this.#checker.getExportsOfModule(symbol) : [];
    return exported
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((one) => `${this.#declarationText(one)}\n`)
      .join("");
  }

  /** Returns the types that exported declarations mention, but users cannot name because no entry exports them. */
  forgotten(): readonly string[] {
    const lines = [...this.#mentioned]
      .filter(([symbol]) => !this.#exported.has(symbol))
      .map(([symbol, users]) => `${symbol.name}: used by ${[...users].sort().join(", ")}\n`);
    return lines.length === 0 ? [] : [`## mentioned, and not exported\n\n${lines.sort().join("")}`];
  }

  #declarationText(exported: ts.Symbol): string {
    const symbol = this.#resolved(exported);
    this.#exported.add(symbol);
    const declarations = symbol.declarations ?? [];
    for (const declaration of declarations) this.#noteSecondName(declaration);
    const [first] = declarations;
    if (!first) return `${exported.name}: unknown`;
    const file = first.getSourceFile().fileName;
    if (!this.#isOwn(file)) return `${exported.name}: from ${packageOf(file)}`;
    const isType = isTypeOnly(exported);
    for (const one of declarations) this.#note(one, exported.name, isType);
    const renamed = symbol.name === exported.name ? "" : `${exported.name} = `;
    return declarations.map((one) => `${renamed}${printed(one, isType)}`).join("\n");
  }

  /**
   * Records that an exported alias is another name for a type: with `export type Shape = Form`, users can name `Form`
   * as `Shape`.
   */
  #noteSecondName(declaration: ts.Declaration): void {
    if (!ts.isTypeAliasDeclaration(declaration) || declaration.typeParameters) return;
    const { type } = declaration;
    if (!ts.isTypeReferenceNode(type) || type.typeArguments) return;
    const named = this.#checker.getSymbolAtLocation(type.typeName);
    if (named) this.#exported.add(this.#resolved(named));
  }

  #note(node: ts.Node, user: string, isType: boolean): void {
    if (isType && ts.isConstructorDeclaration(node)) return;
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    const found = name && this.#checker.getSymbolAtLocation(name);
    if (found) {
      const symbol = this.#resolved(found);
      const file = symbol.declarations?.[0]?.getSourceFile().fileName;
      const isParameter = (symbol.flags & ts.SymbolFlags.TypeParameter) !== 0;
      if (file && this.#isOwn(file) && !isParameter)
        this.#mentioned.set(symbol, (this.#mentioned.get(symbol) ?? new Set()).add(user));
    }
    ts.forEachChild(node, (child) => this.#note(child, user, isType));
  }

  #resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #isOwn(file: string): boolean {
    return !relative(this.#folder, file).startsWith("..");
  }
}

/**
 * Reports whether a class is exported with `export type { … }`, so that users can name it, but not construct objects
 * of it.
 */
function isTypeOnly({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly));
}

function printed(declaration: ts.Declaration, isType: boolean): string {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const text = printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
  return text
    .replace(/^export (declare )?/, "")
    .replace(/^ +(#private|private [^\n]*);\n/gm, "")
    .replace(isType ? /^ {4}constructor\((\{\n( {8}.*\n)* {4}\}|[^\n]*)[^\n]*\);\n/gm : /$^/, "");
}

/**
 * Returns the package of a file: `@kubewright/client` for a file in `…/packages/client/dist`, or the package in
 * `node_modules` that contains the file.
 */
function packageOf(file: string): string {
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  if (installed) return installed;
  const folder = /^(.*)\/dist\//.exec(file)?.[1];
  return folder ? (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest).name : file;
}
