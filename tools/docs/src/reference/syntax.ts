import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A source file parsed by TypeScript, without type information. */
export interface Source {
  readonly file: string;
  readonly tree: ts.SourceFile;
}

/** Returns the matching sources, except tests and fakes. */
export function sourcesOf(root: string, patterns: readonly string[]): readonly Source[] {
  return globSync([...patterns], { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .sort()
    .map((file) => ({
      file,
      tree: ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true),
    }));
}

/**
 * Yields a node and its descendants in source order. Skips tokens and comments, because TypeScript would scan them again each
 * time.
 */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  const left = [node];
  for (let at = left.pop(); at; at = left.pop()) {
    yield at;
    const below: ts.Node[] = [];
    ts.forEachChild(at, (child) => void below.push(child));
    left.push(...below.reverse());
  }
}

export const lineOf = (node: ts.Node): number => {
  const tree = node.getSourceFile();
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
};

/**
 * Returns the text to which an expression evaluates. Unknown parts are replaced with the result of `known`, or with `…`. Returns
 * undefined if the text cannot be determined.
 */
export function textOf(
  node: ts.Expression,
  known: (name: string) => string | undefined = () => undefined,
): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => {
      const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
      const value = ts.isIdentifier(name) ? known(name.text) : undefined;
      return `${value ?? "…"}${literal.text}`;
    });
    return node.head.text + spans.join("");
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left, known), textOf(node.right, known)];
    return left === undefined && right === undefined ? undefined : `${left ?? "…"}${right ?? "…"}`;
  }
  return undefined;
}
