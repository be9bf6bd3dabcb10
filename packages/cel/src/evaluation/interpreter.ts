import type { CheckedExpression } from "../check/checked-expression.ts";
import {
  type CallExpression,
  type ComprehensionExpression,
  type Expression,
  operators,
  type SelectExpression,
} from "../syntax/ast.ts";
import { compilePattern, isBadPattern } from "../text/regular-expression.ts";
import { callCostOf } from "../values/call-costs.ts";
import { CelEntries, CelList, CelMap } from "../values/collections.ts";
import type { Overload } from "../values/declarations.ts";
import type { StructProvider } from "../values/struct-provider.ts";
import type { CelType } from "../values/type.ts";
import { CelError, CelOptional, CelTypeValue, type CelValue, isError, noSuchOverload } from "../values/value.ts";
import type { Step } from "./frame.ts";
import { missingOverload } from "./overload-errors.ts";
import { indexValue, optionalIndex, selectField, selectOptional, testField } from "./selection.ts";
import {
  areKnown,
  binary,
  conditional,
  fits,
  goTypeName,
  listStep,
  logical,
  lookUp,
  mapStep,
  structStep,
} from "./steps.ts";

interface PlanContext {
  readonly checked: CheckedExpression;
  readonly structs: StructProvider;
  readonly typeNames: ReadonlyMap<string, CelType>;
}

/** Converts a checked expression to a function that evaluates it. @see cel-go interpreter/planner.go */
export function planExpression(context: PlanContext): Plan {
  const planner = new Planner(context);
  const run = planner.plan(context.checked.root);
  return { run, localCount: planner.localCount, problem: planner.problem };
}

export interface Plan {
  readonly run: Step;
  readonly localCount: number;
  /** Reason why the expression can never be evaluated: one of its constant parts fails. */
  readonly problem: string | undefined;
}

const conversions = new Set("bool bytes double duration dyn int string timestamp type uint".split(" "));
const searching = new Set(["find", "findAll", "matches"]);

class Planner {
  readonly #context: PlanContext;
  readonly #scope: { name: string; slot: number }[] = [];
  /** Values of the constant parts of the expression, keyed by node. */
  readonly #constants = new Map<number, CelValue>();
  localCount = 0;
  problem: string | undefined;

  constructor(context: PlanContext) {
    this.#context = context;
  }

  plan(expression: Expression): Step {
    switch (expression.kind) {
      case "literal": {
        return this.#constant(expression.id, expression.value);
      }
      case "ident":
        return this.#name(expression.id, expression.name);
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression.id, expression.items);
      case "map":
        return this.#map(expression.id, expression.entries);
      case "struct":
        return this.#struct(expression.id, expression.name, expression.fields);
      case "comprehension":
        return this.#comprehension(expression);
    }
  }

  #constant(id: number, value: CelValue): Step {
    this.#constants.set(id, value);
    return () => value;
  }

  #name(id: number, written: string): Step {
    const local = this.#scope.findLast(({ name }) => name === written);
    if (local) {
      const { slot } = local;
      return ({ locals, meter }) => {
        meter.add(1);
        return locals[slot] ?? null;
      };
    }
    const reference = this.#context.checked.references.get(id);
    const name = reference?.kind === "name" ? reference.name : written.replace(/^\./, "");
    const type = this.#context.typeNames.get(name);
    if (type) return this.#constant(id, new CelTypeValue(type));
    return (frame) => {
      frame.meter.add(1);
      return lookUp(frame, name);
    };
  }

  #select(expression: SelectExpression): Step {
    const reference = this.#context.checked.references.get(expression.id);
    if (reference?.kind === "name") return this.#name(expression.id, reference.name);
    const operand = this.plan(expression.operand);
    const { field, testOnly } = expression;
    return (frame) => {
      const target = operand(frame);
      if (isError(target)) return target;
      if (testOnly) return testField(target, field);
      frame.meter.add(1);
      return selectField(target, field);
    };
  }

  #call(expression: CallExpression): Step {
    const special = this.#special(expression);
    if (special) return special;
    const reference = this.#context.checked.references.get(expression.id);
    if (reference?.kind !== "function") return () => noSuchOverload();
    const { declaration, overloads, isQualified } = reference;
    const parts = [...(expression.target && !isQualified ? [expression.target] : []), ...expression.args];
    const args = parts.map((part) => this.plan(part));
    const isMember = expression.target !== undefined && !isQualified;
    const candidates =
      overloads.length === 1 ? overloads : declaration.overloads.filter((o) => o.isMember === isMember);
    const [only] = candidates.length === 1 ? candidates : [];
    const constants = parts.map(({ id }) => this.#constants.get(id));
    const folded = this.#fold(expression.id, declaration.name, candidates, constants);
    if (folded) return folded;
    const isFree = only?.id === "in_list" && constants[1] !== undefined;
    return (frame) => {
      const values: CelValue[] = [];
      for (const arg of args) {
        const value = arg(frame);
        if (isError(value)) return value;
        values.push(value);
      }
      const overload = only && fits(only, values) ? only : candidates.find((candidate) => fits(candidate, values));
      if (!overload) return missingOverload(declaration.name, values);
      const result = overload.call(...values);
      if (!isFree) frame.meter.add(callCostOf(declaration.name, overload.id, values, result));
      return result;
    };
  }

  /** Converts constant arguments once, before any evaluation. If a constant pattern is not valid, the expression can never be evaluated. */
  #fold(
    id: number,
    name: string,
    candidates: readonly Overload[],
    constants: readonly (CelValue | undefined)[],
  ): Step | undefined {
    const [first, second] = constants;
    if (searching.has(name) && typeof second === "string") {
      const compiled = compilePattern(second);
      if (isBadPattern(compiled)) this.problem ??= compiled.error;
    }
    if (!conversions.has(name) || constants.length !== 1 || first === undefined) return undefined;
    const overload = candidates.find((candidate) => fits(candidate, [first]));
    const result = overload ? overload.call(first) : missingOverload(name, [first]);
    if (isError(result)) this.problem ??= result.message;
    return this.#constant(id, result);
  }

  /** Returns the evaluation step for a call that does not evaluate all of its arguments, or is not a function call at run time. */
  #special({ name, args, target }: CallExpression): Step | undefined {
    const [first, second, third] = args.map((arg) => this.#lazily(arg));
    if (target && (name === "or" || name === "orValue") && args.length === 1 && first)
      return this.#or(name, this.plan(target), first());
    if (target || !first) return undefined;
    switch (name) {
      case operators.conditional:
        return second && third ? conditional(first(), second(), third()) : undefined;
      case operators.and:
        return second ? logical(first(), second(), false) : undefined;
      case operators.or:
        return second ? logical(first(), second(), true) : undefined;
      case operators.notStrictlyFalse: {
        const step = first();
        return (frame) => {
          const value = step(frame);
          frame.meter.add(1);
          return value !== false;
        };
      }
      case operators.index:
        return second ? binary(first(), second(), indexValue) : undefined;
      case operators.optionalIndex:
        return second ? binary(first(), second(), optionalIndex) : undefined;
      case operators.optionalSelect: {
        const [, field] = args;
        const step = first();
        const text = field?.kind === "literal" && typeof field.value === "string" ? field.value : "";
        return (frame) => {
          const operand = step(frame);
          if (isError(operand)) return operand;
          frame.meter.add(1);
          return selectOptional(operand, text);
        };
      }
      default:
        return undefined;
    }
  }

  #lazily(expression: Expression): () => Step {
    return () => this.plan(expression);
  }

  #or(name: string, target: Step, other: Step): Step {
    return (frame) => {
      const value = target(frame);
      if (isError(value)) return value;
      if (!(value instanceof CelOptional)) return value;
      if (value.value !== undefined) return name === "or" ? value : value.value;
      return other(frame);
    };
  }

  #list(id: number, items: readonly { value: Expression; optional: boolean }[]): Step {
    const steps = items.map(({ value, optional }) => ({ step: this.plan(value), optional }));
    const constants = items.map(({ value, optional }) => (optional ? undefined : this.#constants.get(value.id)));
    if (areKnown(constants)) return this.#constant(id, new CelList(constants));
    return listStep(steps);
  }

  #map(id: number, entries: readonly { key: Expression; value: Expression; optional: boolean }[]): Step {
    const steps = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      step: this.plan(value),
      optional,
    }));
    const keys = entries.map(({ key }) => this.#constants.get(key.id));
    const values = entries.map(({ value, optional }) => (optional ? undefined : this.#constants.get(value.id)));
    if (areKnown(keys) && areKnown(values))
      return this.#constant(id, new CelEntries(keys.map((key, i) => [key, values[i] ?? null] as const)));
    return mapStep(steps);
  }

  #struct(
    id: number,
    written: string,
    fields: readonly { name: string; value: Expression; optional: boolean }[],
  ): Step {
    const reference = this.#context.checked.references.get(id);
    const type = this.#context.structs(reference?.kind === "name" ? reference.name : written);
    const steps = fields.map(({ name, value, optional }) => ({ name, step: this.plan(value), optional }));
    return structStep(steps, (made) => type?.make(made) ?? new CelError(`unknown type: ${written}`));
  }

  #comprehension(expression: ComprehensionExpression): Step {
    const range = this.plan(expression.range);
    const initial = this.plan(expression.initial);
    const accumulator = this.#declare(expression.accumulator);
    const first = this.#declare(expression.variable);
    const second = expression.secondVariable === undefined ? undefined : this.#declare(expression.secondVariable);
    const condition = this.plan(expression.condition);
    const step = this.plan(expression.step);
    this.#scope.length -= second === undefined ? 1 : 2;
    const result = this.plan(expression.result);
    this.#scope.length -= 1;
    return (frame) => {
      const over = range(frame);
      if (isError(over)) return over;
      if (!(over instanceof CelList) && !(over instanceof CelMap))
        return new CelError(`got '${goTypeName(over)}', expected iterable type`);
      frame.locals[accumulator] = initial(frame);
      let index = 0n;
      for (const item of over instanceof CelList ? over : over.keys()) {
        const isList = over instanceof CelList;
        frame.locals[first] = isList && second !== undefined ? index : item;
        if (second !== undefined) frame.locals[second] = isList ? item : (over.find(item) ?? null);
        if (condition(frame) === false) break;
        frame.locals[accumulator] = step(frame);
        index++;
      }
      return result(frame);
    };
  }

  #declare(name: string): number {
    const slot = this.localCount++;
    this.#scope.push({ name, slot });
    return slot;
  }
}
