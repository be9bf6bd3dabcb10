import ts from "typescript";

/** One way to break a source: the text from `start` to `end` is replaced with `replacement`. */
export interface Edit {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

type Operator = (node: ts.Node, source: ts.SourceFile) => readonly Edit[];

const comparisons: ReadonlyMap<ts.SyntaxKind, readonly string[]> = new Map([
  [ts.SyntaxKind.LessThanToken, ["<=", ">="]],
  [ts.SyntaxKind.LessThanEqualsToken, ["<", ">"]],
  [ts.SyntaxKind.GreaterThanToken, [">=", "<="]],
  [ts.SyntaxKind.GreaterThanEqualsToken, [">", "<"]],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ["!=="]],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, ["==="]],
]);
const logicals: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
]);
const sums: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
  [ts.SyntaxKind.PlusEqualsToken, "-="],
  [ts.SyntaxKind.MinusEqualsToken, "+="],
]);

const comparison: Operator = (node, source) => {
  if (!ts.isBinaryExpression(node)) return [];
  const others = comparisons.get(node.operatorToken.kind) ?? [];
  return others.map((other) => replace("comparison", node.operatorToken, source, other));
};

const logical: Operator = (node, source) => {
  if (!ts.isBinaryExpression(node)) return [];
  const other = logicals.get(node.operatorToken.kind);
  return other ? [replace("logical", node.operatorToken, source, other)] : [];
};

const sum: Operator = (node, source) => {
  if (!ts.isBinaryExpression(node) || isText(node.left) || isText(node.right)) return [];
  const other = sums.get(node.operatorToken.kind);
  return other ? [replace("sum", node.operatorToken, source, other)] : [];
};

const condition: Operator = (node, source) => {
  const tested = testedBy(node);
  if (!tested || ts.isPrefixUnaryExpression(tested)) return [];
  if (ts.isBinaryExpression(tested) && comparisons.has(tested.operatorToken.kind)) return [];
  return [replace("condition", tested, source, `!(${tested.getText(source)})`)];
};

const negation: Operator = (node, source) =>
  ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken
    ? [replace("negation", node, source, node.operand.getText(source))]
    : [];

const boolean: Operator = (node, source) => {
  if (ts.isLiteralTypeNode(node.parent)) return [];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replace("boolean", node, source, "false")];
  return node.kind === ts.SyntaxKind.FalseKeyword ? [replace("boolean", node, source, "true")] : [];
};

/** Removes a call that is made only for its effect. Calls of a logger stay, because no caller relies on them. */
const statement: Operator = (node, source) => {
  if (!ts.isExpressionStatement(node)) return [];
  const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  if (!ts.isCallExpression(called) || called.expression.kind === ts.SyntaxKind.SuperKeyword) return [];
  if (/\b(log|logger)\b[^(]*\.(trace|debug|info|warn|error)$/i.test(called.expression.getText(source))) return [];
  return [replace("statement", node, source, ts.isBlock(node.parent) ? "" : ";")];
};

/** Removes `if (…) return`, `throw`, `continue` or `break` without an `else`. */
const guard: Operator = (node, source) => {
  if (!ts.isIfStatement(node) || node.elseStatement) return [];
  const only = ts.isBlock(node.thenStatement) ? node.thenStatement.statements.at(-1) : node.thenStatement;
  return only && leaves(only) ? [replace("guard", node, source, ts.isBlock(node.parent) ? "" : ";")] : [];
};

const list: Operator = (node, source) =>
  ts.isArrayLiteralExpression(node) && node.elements.length > 0 && !isAssignedTo(node)
    ? [replace("list", node, source, "[]")]
    : [];

/**
 * Replaces strings that affect decisions with empty ones: strings that are compared, listed or returned. Messages
 * stay unchanged.
 */
const word: Operator = (node, source) => {
  if (!ts.isStringLiteral(node) || node.text === "") return [];
  const { parent } = node;
  const compared = ts.isBinaryExpression(parent) && comparisons.has(parent.operatorToken.kind) && !isTypeof(parent);
  const decides = compared || ts.isArrayLiteralExpression(parent) || ts.isReturnStatement(parent);
  return decides ? [replace("word", node, source, '""')] : [];
};

const number: Operator = (node, source) => {
  if (!ts.isNumericLiteral(node)) return [];
  if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return [];
  const value = Number(node.text.replaceAll("_", ""));
  return [value + 1, value - 1].map((other) =>
    replace("number", node, source, other < 0 ? `(${other})` : String(other)),
  );
};

/** Removes the fallback after `??`. A fallback after `list[0]` stays, because it only satisfies the type checker. */
const fallback: Operator = (node, source) => {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.QuestionQuestionToken) return [];
  if (ts.isElementAccessExpression(node.left) && ts.isNumericLiteral(node.left.argumentExpression)) return [];
  return [replace("fallback", node, source, node.left.getText(source))];
};

const operators: readonly Operator[] = [
  comparison,
  logical,
  sum,
  condition,
  negation,
  boolean,
  statement,
  guard,
  list,
  word,
  number,
  fallback,
];

/** Returns all ways to break `text`, in source order. */
export function editsOf(path: string, text: string): readonly Edit[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const edits: Edit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    for (const operator of operators) edits.push(...operator(node, source));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return edits;
}

/** Reports whether `text` can be parsed. A mutant that cannot be parsed gives no information about the tests. */
export function parses(text: string): boolean {
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.length === 0;
}

function replace(operator: string, node: ts.Node, source: ts.SourceFile, replacement: string): Edit {
  return { operator, start: node.getStart(source), end: node.getEnd(), replacement };
}

function testedBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) return node.expression;
  if (ts.isConditionalExpression(node) || ts.isForStatement(node)) return node.condition;
  return undefined;
}

function leaves(node: ts.Statement): boolean {
  return (
    ts.isReturnStatement(node) || ts.isThrowStatement(node) || ts.isContinueStatement(node) || ts.isBreakStatement(node)
  );
}

function isText(node: ts.Expression): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function isTypeof(node: ts.BinaryExpression): boolean {
  return ts.isTypeOfExpression(node.left) || ts.isTypeOfExpression(node.right);
}

/** Reports whether an array is the pattern in an assignment such as `[a, b] = …`. */
function isAssignedTo({ parent, pos }: ts.Node): boolean {
  return (
    ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken && parent.left.pos === pos
  );
}
