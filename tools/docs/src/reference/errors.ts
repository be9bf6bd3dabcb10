import ts from "typescript";
import { root } from "../workspace.ts";
import { lineOf, nodesOf, type Source, sourcesOf, textOf } from "./syntax.ts";

/** A class of errors that a package exports. */
export interface ErrorClass {
  readonly name: string;
  readonly specifier: string;
  /** Its first sentences, as the source has them. */
  readonly says: string;
}

/** A line that a command ends with code 2 after. */
export interface UsageLine {
  readonly command: string;
  readonly text: string;
}

/** Classes whose names the public entries export and that are errors, by name. */
export function errorClasses(exported: ReadonlyMap<string, readonly string[]>): readonly ErrorClass[] {
  const found = sourcesOf(root, ["packages/*/src/**/*.ts"]).flatMap((source) =>
    [...nodesOf(source.tree)].flatMap((node) => {
      if (!ts.isClassDeclaration(node) || !node.name || !isError(node)) return [];
      const name = node.name.text;
      const folder = source.file.split("/", 2).join("/");
      const specifier = exported.get(name)?.find((each) => folderOf(each) === folder);
      return specifier ? [{ name, specifier, says: commentOf(node) }] : [];
    }),
  );
  return found.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** What `UsageError`, `FlagError` and `UserError` are made with, in the sources of the commands. */
export function usageLines(): readonly UsageLine[] {
  const commands = [
    ["packages/cli/src/**/*.ts", "kubewright"],
    ["packages/manager/src/**/*.ts", "a program that `run` starts"],
    ["apps/sdewan-operator/src/**/*.ts", "sdewan-operator"],
  ] as const;
  return commands.flatMap(([pattern, command]) =>
    sourcesOf(root, [pattern]).flatMap((source) => linesIn(source).map((text) => ({ command, text }))),
  );
}

function linesIn(source: Source): readonly string[] {
  return [...nodesOf(source.tree)].flatMap((node) => {
    if (!ts.isNewExpression(node) || !/^(?:Usage|Flag|User)Error$/.test(node.expression.getText())) return [];
    const [message] = node.arguments ?? [];
    if (!message) return [];
    const texts = ts.isConditionalExpression(message) ? [message.whenTrue, message.whenFalse] : [message];
    return texts.map((each) => textOf(each) ?? `(as \`${source.file}\`, line ${lineOf(node)}, makes it)`);
  });
}

function isError(node: ts.ClassDeclaration): boolean {
  return (node.heritageClauses ?? []).some(
    ({ token, types }) =>
      token === ts.SyntaxKind.ExtendsKeyword &&
      types.some(({ expression }) => /(?:Error|Failed|Failure|CelNode)$/.test(expression.getText())),
  );
}

const folderOf = (specifier: string): string => `packages/${specifier.replace("@kubewright/", "").split("/", 1)[0]}`;

function commentOf(node: ts.ClassDeclaration): string {
  return (
    ts
      .getJSDocCommentsAndTags(node)
      .map((each) => (ts.isJSDoc(each) ? (ts.getTextOfJSDocComment(each.comment) ?? "") : ""))
      .join(" ")
      .split(/\n\s*\n/, 1)[0]
      ?.replaceAll(/\s+/g, " ") ?? ""
  );
}
