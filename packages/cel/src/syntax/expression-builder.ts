import type { CelValue } from "../values/value.ts";
import type {
  CallExpression,
  Expression,
  IdentExpression,
  ListExpression,
  LiteralExpression,
  MapEntry,
  MapExpression,
  SelectExpression,
  StructExpression,
  StructField,
} from "./ast.ts";

/** Creates an expression's nodes, and reports errors. */
export class ExpressionBuilder {
  readonly errors: { at: number; message: string }[] = [];
  #lastId = 0;

  id(): number {
    return ++this.#lastId;
  }

  error(at: number, message: string): void {
    this.errors.push({ at, message });
  }

  /** Returns a placeholder for an expression that cannot be parsed. */
  missing(at: number): Expression {
    return this.literal(at, null);
  }

  literal(at: number, value: CelValue): LiteralExpression {
    return { kind: "literal", id: this.id(), at, value };
  }

  ident(at: number, name: string): IdentExpression {
    return { kind: "ident", id: this.id(), at, name };
  }

  select(at: number, operand: Expression, field: string, testOnly = false): SelectExpression {
    return { kind: "select", id: this.id(), at, operand, field, testOnly };
  }

  call(at: number, name: string, args: readonly Expression[], target?: Expression): CallExpression {
    return { kind: "call", id: this.id(), at, name, args, ...(target ? { target } : {}) };
  }

  list(at: number, items: ListExpression["items"]): ListExpression {
    return { kind: "list", id: this.id(), at, items };
  }

  map(at: number, entries: readonly MapEntry[]): MapExpression {
    return { kind: "map", id: this.id(), at, entries };
  }

  entry(at: number, key: Expression, value: Expression, optional: boolean): MapEntry {
    return { id: this.id(), at, key, value, optional };
  }

  struct(at: number, name: string, fields: readonly StructField[]): StructExpression {
    return { kind: "struct", id: this.id(), at, name, fields };
  }

  field(at: number, name: string, value: Expression, optional: boolean): StructField {
    return { id: this.id(), at, name, value, optional };
  }

  /** Arranges a long chain of `&&` or `||` terms as a balanced tree. */
  balanced(operator: string, terms: readonly Expression[], places: readonly number[]): Expression {
    const build = (low: number, high: number): Expression => {
      const middle = Math.floor((low + high + 1) / 2);
      const left = middle === low ? terms[middle] : build(low, middle - 1);
      const right = middle === high ? terms[middle + 1] : build(middle + 1, high);
      const at = places[middle] ?? 0;
      return this.call(at, operator, [left ?? this.missing(at), right ?? this.missing(at)]);
    };
    const [only] = terms;
    return places.length === 0 && only ? only : build(0, places.length - 1);
  }
}
