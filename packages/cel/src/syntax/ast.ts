import type { CelValue } from "../values/value.ts";

interface Node {
  /** Number of the node, unique within one expression. */
  readonly id: number;
  /** Position of the node in the source, in code points. */
  readonly at: number;
}

/** A node in an expression's syntax tree. */
export type Expression =
  | LiteralExpression
  | IdentExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | StructExpression
  | ComprehensionExpression;

export interface LiteralExpression extends Node {
  readonly kind: "literal";
  readonly value: CelValue;
}

export interface IdentExpression extends Node {
  readonly kind: "ident";
  readonly name: string;
}

export interface SelectExpression extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  /** True if the expression is `has(operand.field)`, which only tests whether the field is set. */
  readonly testOnly: boolean;
}

export interface CallExpression extends Node {
  readonly kind: "call";
  readonly target?: Expression | undefined;
  readonly name: string;
  readonly args: readonly Expression[];
}

export interface ListExpression extends Node {
  readonly kind: "list";
  readonly items: readonly { readonly value: Expression; readonly optional: boolean }[];
}

export interface MapEntry extends Node {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapExpression extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface StructField extends Node {
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface StructExpression extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** A fold over a list or map. Macros such as `all` and `map` expand to comprehensions. */
export interface ComprehensionExpression extends Node {
  readonly kind: "comprehension";
  readonly range: Expression;
  readonly variable: string;
  readonly secondVariable?: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/**
 * Returns the qualified name that an expression such as `a.b.c` represents, or `undefined` if the expression contains
 * anything but names.
 */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "ident") return expression.name;
  if (expression.kind !== "select" || expression.testOnly) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}

/** The names of the functions that operators call. */
export const operators = {
  conditional: "_?_:_",
  and: "_&&_",
  or: "_||_",
  not: "!_",
  negate: "-_",
  equals: "_==_",
  notEquals: "_!=_",
  less: "_<_",
  lessEquals: "_<=_",
  greater: "_>_",
  greaterEquals: "_>=_",
  add: "_+_",
  subtract: "_-_",
  multiply: "_*_",
  divide: "_/_",
  modulo: "_%_",
  in: "@in",
  index: "_[_]",
  optionalIndex: "_[?_]",
  optionalSelect: "_?._",
  notStrictlyFalse: "@not_strictly_false",
} as const;
