import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { Violation } from "./check.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** The only package that may use the platform's time and randomness. */
const home = "packages/clock";
/** Code that replaces the platform's time and randomness. */
const replacing = "packages/simulation/src/time/";

/** Globals that no other code may use, and the remedy. */
const globals = new Map([
  ["setTimeout", "use Clock.after or Clock.sleep"],
  ["setInterval", "use Clock.after"],
  ["setImmediate", "use nextTurn or onNextTurn"],
]);

/** Members of objects that no other code may use, and the remedy. */
const members: readonly (readonly [object: string, member: RegExp, remedy: string])[] = [
  ["Date", /^now$/, "use Clock.now"],
  ["performance", /^now$/, "use Clock.monotonic"],
  ["process", /^hrtime$/, "use Clock.monotonic"],
  ["Math", /^random$/, "use a Random"],
  ["crypto", /^(random.*|getRandomValues|webcrypto)$/, "use a Random"],
  ["AbortSignal", /^timeout$/, "use Clock.after"],
];

/** Members of modules that no other code may import, and the remedy. */
const modules: readonly (readonly [module: RegExp, member: RegExp, remedy: string])[] = [
  [/^(node:)?timers(\/promises)?$/, /^/, "use a Clock, nextTurn or onNextTurn"],
  [/^(node:)?perf_hooks$/, /^performance$/, "use Clock.monotonic"],
  [/^(node:)?process$/, /^hrtime$/, "use Clock.monotonic"],
  [/^(node:)?crypto$/, /^(random.*|getRandomValues|webcrypto)$/, "use a Random"],
];

/** Matches all files that may contain a use, so that only these are parsed. */
const suspicious =
  /\bset(Timeout|Interval|Immediate)\b|\bnew Date\b|\bDate\(\)|\b(now|hrtime|timeout)\b|[rR]andom|webcrypto|timers|perf_hooks/;

/**
 * Returns a violation for each use of the platform's time and randomness in the code of a library or app, outside of the package `clock`.
 * Such code could not be simulated: the same seed would not give the same run. Tests and folders named `testing` are exempt.
 */
export function ambientUses(root: string, { folder, floor }: WorkspacePackage): readonly Violation[] {
  if (floor === "check" || folder === home) return [];
  return globSync("src/**/*.ts", { cwd: join(root, folder) })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => !name.endsWith(".test.ts") && !name.includes("/testing/"))
    .sort()
    .filter((name) => !`${folder}/${name}`.startsWith(replacing))
    .flatMap((name) => usesIn(`${folder}/${name}`, readFileSync(join(root, folder, name), "utf8")));
}

function usesIn(file: string, text: string): readonly Violation[] {
  if (!suspicious.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Violation[] = [];
  const visit = (node: ts.Node): void => {
    const use = useIn(node);
    if (use) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push(`${file}:${line}: uses ${use.what} outside of ${home}; ${use.remedy}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

interface Use {
  readonly what: string;
  readonly remedy: string;
}

function useIn(node: ts.Node): Use | undefined {
  if (ts.isImportDeclaration(node)) return importedUse(node);
  if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && isNamed(node.expression, "Date"))
    return node.arguments?.length ? undefined : { what: "the current Date", remedy: "use Clock.now" };
  if (ts.isIdentifier(node) && globals.has(node.text) && !isMemberName(node))
    return { what: node.text, remedy: globals.get(node.text) ?? "" };
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  const { expression, name } = node;
  for (const [object, member, remedy] of members)
    if (isNamed(expression, object) && member.test(name.text)) return { what: `${object}.${name.text}`, remedy };
  return undefined;
}

function importedUse({ importClause, moduleSpecifier }: ts.ImportDeclaration): Use | undefined {
  const name = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : "";
  const bindings = importClause?.namedBindings;
  if (importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword || !bindings || !ts.isNamedImports(bindings))
    return undefined;
  for (const [module, member, remedy] of modules) {
    const used =
      module.test(name) && bindings.elements.find((each) => member.test((each.propertyName ?? each.name).text));
    if (used && !used.isTypeOnly) return { what: `${(used.propertyName ?? used.name).text} of ${name}`, remedy };
  }
  return undefined;
}

/** Reports whether an expression is a global object, also as a member of `globalThis`. */
const isNamed = (node: ts.Expression, name: string): boolean =>
  (ts.isIdentifier(node) && node.text === name) ||
  (ts.isPropertyAccessExpression(node) && isNamed(node.expression, "globalThis") && node.name.text === name);

/** Reports whether an identifier is the name of a member, such as the timeout of a socket, rather than the global. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node && !isNamed(parent.expression, "globalThis");
  if (ts.isImportSpecifier(parent)) return true; // reported with the import
  return (
    (ts.isMethodDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyAssignment(parent)) &&
    parent.name === node
  );
}
