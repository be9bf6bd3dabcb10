import type { CheckedExpression } from "../check/checked-expression.ts";
import { type CallExpression, type ComprehensionExpression, type Expression, operators } from "../syntax/ast.ts";
import { lengthOf } from "../text/code-points.ts";
import { type CelType, celType, paramsOf } from "../values/type.ts";
import { CelBytes } from "../values/value.ts";
import { type CallContext, callEstimate, type SizedNode } from "./call-estimates.ts";
import { type Estimate, estimate, maxEstimate } from "./estimates.ts";

/** The minimum and maximum cost of an expression. @see cel-go checker CostEstimate */
export type CostEstimate = Estimate;

/**
 * Returns the maximum size of the value at a path. The path consists of a variable's name, followed by field names, `@items`, `@keys` or
 * `@values`.
 */
export type SizeOf = (path: readonly string[]) => number | undefined;

/** Sizes of the contents of a list or map. */
interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Estimate;
  readonly value: Estimate;
}

interface LocalVariable {
  readonly path: readonly string[];
  readonly size?: Estimate | undefined;
  readonly entries?: EntrySize | undefined;
}

/** Returns the minimum and maximum cost of evaluating an expression. @see cel-go checker/cost.go */
export function estimateCost(checked: CheckedExpression, sizeOf: SizeOf): CostEstimate {
  return new Coster(checked, sizeOf).cost(checked.root);
}

class Coster {
  readonly #checked: CheckedExpression;
  readonly #sizeOf: SizeOf;
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Estimate>();
  readonly #entrySizes = new Map<number, EntrySize>();
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(checked: CheckedExpression, sizeOf: SizeOf) {
    this.#checked = checked;
    this.#sizeOf = sizeOf;
  }

  cost(expression: Expression): Estimate {
    switch (expression.kind) {
      case "literal":
        return estimate.zero;
      case "ident":
        this.#paths.set(expression.id, this.#local(expression.name)?.path ?? [expression.name]);
        return estimate.of(1);
      case "select": {
        const operand = this.cost(expression.operand);
        if (expression.testOnly) return operand;
        const { kind } = this.#type(expression.operand);
        this.#paths.set(expression.id, [...this.#path(expression.operand), expression.field]);
        return ["map", "struct", "param"].includes(kind) ? estimate.add(operand, estimate.of(1)) : operand;
      }
      case "call":
        return this.#call(expression);
      case "list": {
        const costs = expression.items.map(({ value }) => this.cost(value));
        const sizes = expression.items.map(({ value }) => this.#sizeOrUnknown(value));
        this.#entrySizes.set(expression.id, { container: "list", key: estimate.of(1), value: unionOf(sizes) });
        return estimate.add(...costs, estimate.of(10));
      }
      case "map": {
        const costs = expression.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
        const key = unionOf(expression.entries.map((entry) => this.#sizeOrUnknown(entry.key)));
        const value = unionOf(expression.entries.map((entry) => this.#sizeOrUnknown(entry.value)));
        this.#entrySizes.set(expression.id, { container: "map", key, value });
        return estimate.add(...costs, estimate.of(30));
      }
      case "struct":
        return estimate.add(...expression.fields.map(({ value }) => this.cost(value)), estimate.of(40));
      case "comprehension":
        return isBinding(expression) ? this.#binding(expression) : this.#loop(expression);
    }
  }

  #type({ id }: Expression): CelType {
    return this.#checked.types.get(id) ?? celType.dyn;
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #path(expression: Expression): readonly string[] {
    const local = expression.kind === "ident" ? this.#local(expression.name) : undefined;
    return local?.path ?? this.#paths.get(expression.id) ?? [];
  }

  #call(expression: CallExpression): Estimate {
    const { name, args, target } = expression;
    const [first] = args;
    if (name === "dyn" && first) {
      const cost = this.cost(first);
      this.#copySizes(expression, first);
      return estimate.add(cost, estimate.of(1));
    }
    const costs = args.map((arg) => this.cost(arg));
    const reference = this.#checked.references.get(expression.id);
    if (name === operators.optionalSelect) return estimate.add(...costs, estimate.of(1));
    if (reference?.kind !== "function") return estimate.zero;
    const isMember = target !== undefined && !reference.isQualified;
    const targetCost = isMember ? this.cost(target) : estimate.zero;
    const nodes = args.map((arg) => this.#node(arg));
    const context: CallContext = {
      name: reference.declaration.name,
      target: isMember ? this.#node(target) : undefined,
      args: nodes,
      costs,
      sizeAt: (path) => this.#sizeAt(path),
    };
    let total: Estimate = { min: maxEstimate, max: 0 };
    let size: Estimate | undefined;
    for (const { id } of reference.overloads) {
      const made = callEstimate(context, id);
      total = estimate.union(total, made.cost);
      if (made.size) size = size ? estimate.union(size, made.size) : made.size;
      this.#trackEntries(expression, id);
      if (first && (id === "index_list" || id === "index_map")) {
        size = this.#entries(first)?.value;
        this.#paths.set(expression.id, [...this.#path(first), id === "index_list" ? "@items" : "@values"]);
      }
      size ??= this.#size(expression);
    }
    if (size) this.#sizes.set(expression.id, size);
    return estimate.add(targetCost, total);
  }

  /** Records what the result of a conditional expression or a list concatenation contains. */
  #trackEntries(expression: CallExpression, overload: string): void {
    const [first, second, third] = expression.args;
    const pair = overload === "conditional" ? [second, third] : /^add_/.test(overload) ? [first, second] : [];
    const [left, right] = pair.map((part) => (part ? this.#entries(part) : undefined));
    if (!left || !right) return;
    this.#entrySizes.set(expression.id, {
      container: left.container,
      key: estimate.union(left.key, right.key),
      value: estimate.union(left.value, right.value),
    });
  }

  #node(expression: Expression): SizedNode {
    const path = this.#path(expression);
    return {
      expression,
      type: this.#type(expression),
      path: path[0]?.startsWith("@result") ? [] : path,
      size: this.#size(expression),
    };
  }

  #sizeAt(path: readonly string[]): Estimate | undefined {
    const most = path.length === 0 ? undefined : this.#sizeOf(path);
    return most === undefined ? undefined : { min: 0, max: most < 0 ? maxEstimate + most : most };
  }

  #size(expression: Expression): Estimate | undefined {
    const known = this.#sizes.get(expression.id) ?? literalSize(expression);
    if (known) return known;
    const declared = this.#sizeAt(this.#path(expression));
    if (declared) {
      this.#sizes.set(expression.id, declared);
      return declared;
    }
    if (isScalar(this.#type(expression))) return estimate.of(1);
    return expression.kind === "ident" ? this.#local(expression.name)?.size : undefined;
  }

  #sizeOrUnknown(expression: Expression): Estimate {
    return this.#size(expression) ?? estimate.unknown;
  }

  #entries(expression: Expression): EntrySize | undefined {
    const known = this.#entrySizes.get(expression.id);
    return known ?? (expression.kind === "ident" ? this.#local(expression.name)?.entries : undefined);
  }

  #copySizes(to: Expression, from: Expression): void {
    const [size, entries] = [this.#size(from), this.#entries(from)];
    if (size) this.#sizes.set(to.id, size);
    if (entries) this.#entrySizes.set(to.id, entries);
  }

  #with<T>(name: string, variable: LocalVariable, inner: () => T): T {
    const stack = this.#locals.get(name) ?? [];
    this.#locals.set(name, [...stack, variable]);
    try {
      return inner();
    } finally {
      this.#locals.set(name, stack);
    }
  }

  #asLocal(expression: Expression): LocalVariable {
    return { path: this.#path(expression), size: this.#size(expression), entries: this.#entries(expression) };
  }

  #binding(expression: ComprehensionExpression): Estimate {
    const costs = [this.cost(expression.range), this.cost(expression.initial)];
    const result = this.#with(expression.accumulator, this.#asLocal(expression.initial), () => {
      const cost = this.cost(expression.result);
      this.#copySizes(expression, expression.result);
      return cost;
    });
    return estimate.add(...costs, result);
  }

  #loop(expression: ComprehensionExpression): Estimate {
    const { range, initial, condition, step, result, accumulator } = expression;
    const before = estimate.add(this.cost(range), this.cost(initial));
    const { round, after } = this.#with(accumulator, this.#asLocal(initial), () => ({
      round: this.#withLoopVariables(expression, () => estimate.add(this.cost(condition), this.cost(step))),
      after: this.cost(result),
    }));
    const count = this.#sizeOrUnknown(range);
    if (initial.kind === "literal") {
      const size = this.#size(initial);
      if (size) this.#sizes.set(expression.id, size);
    } else if (initial.kind === "list" || initial.kind === "map") {
      this.#sizes.set(expression.id, count);
      const entries = this.#entries(step);
      if (entries) this.#entrySizes.set(expression.id, entries);
    }
    return estimate.add(before, after, estimate.multiply(count, round));
  }

  #withLoopVariables<T>({ range, variable, secondVariable }: ComprehensionExpression, inner: () => T): T {
    const entries = this.#entries(range);
    const path = this.#path(range);
    const isList = (entries?.container ?? this.#type(range).kind) === "list";
    const value = { path: [...path, isList ? "@items" : "@values"], size: entries?.value };
    if (secondVariable === undefined) {
      const single = isList ? value : { path: [...path, "@keys"], size: entries?.key };
      return this.#with(variable, single, inner);
    }
    const key = { path: [...path, isList ? "@indices" : "@keys"], size: entries?.key };
    return this.#with(variable, key, () => this.#with(secondVariable, value, inner));
  }
}

const unionOf = (sizes: readonly Estimate[]): Estimate =>
  sizes.length === 0 ? estimate.zero : sizes.reduce(estimate.union, { min: maxEstimate, max: 0 });

const isBinding = ({ range, condition }: ComprehensionExpression): boolean =>
  range.kind === "list" && range.items.length === 0 && condition.kind === "literal" && condition.value === false;

function literalSize(expression: Expression): Estimate | undefined {
  if (expression.kind === "list") return estimate.of(expression.items.length);
  if (expression.kind === "map") return estimate.of(expression.entries.length);
  if (expression.kind !== "literal") return undefined;
  const { value } = expression;
  if (typeof value === "string") return estimate.of(lengthOf(value));
  return estimate.of(value instanceof CelBytes ? value.value.length : 1);
}

function isScalar(type: CelType): boolean {
  if (type.kind === "opaque" && type.name === "optional_type") return isScalar(paramsOf(type)[0] ?? celType.dyn);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
