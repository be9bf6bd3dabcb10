import type { Expression } from "./ast.ts";

/** Returns the direct parts of an expression. */
function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "select":
      return [expression.operand];
    case "call":
      return [...(expression.target ? [expression.target] : []), ...expression.args];
    case "list":
      return expression.items.map(({ value }) => value);
    case "map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expression.fields.map(({ value }) => value);
    case "comprehension":
      return [expression.range, expression.initial, expression.condition, expression.step, expression.result];
    default:
      return [];
  }
}

/** Visits an expression and all of its parts, from the outside in. */
export function walk(
  expression: Expression,
  visit: (node: Expression, ancestors: readonly Expression[]) => void,
  ancestors: readonly Expression[] = [],
): void {
  visit(expression, ancestors);
  const inner = [...ancestors, expression];
  for (const part of partsOf(expression)) walk(part, visit, inner);
}
