import {
  type CallExpression,
  type ComprehensionExpression,
  type Expression,
  type ListExpression,
  type MapExpression,
  operators,
  qualifiedName,
  type SelectExpression,
  type StructExpression,
} from "../syntax/ast.ts";
import type { Diagnostics } from "../text/source.ts";
import type { FunctionDeclaration, Overload } from "../values/declarations.ts";
import {
  type CelType,
  celType,
  formatSignature,
  formatType,
  isDyn,
  isDynOrError,
  isSameType,
  unwrapOptional,
} from "../values/type.ts";
import { mostGeneral, Unification } from "../values/unification.ts";
import { typeOf } from "../values/value.ts";
import type { CheckedExpression, Names, Reference } from "./checked-expression.ts";
import { Scopes } from "./scopes.ts";

/**
 * Determines the type of every part of an expression, and reports errors to `diagnostics`.
 *
 * @see cel-go checker/checker.go
 */
export function checkExpression(root: Expression, names: Names, diagnostics: Diagnostics): CheckedExpression {
  const checker = new Checker(names, diagnostics);
  checker.check(root);
  return checker.result(root);
}

/** The traversal is a single class because the cases depend on each other. */
class Checker {
  readonly #names: Names;
  readonly #diagnostics: Diagnostics;
  readonly #types = new Map<number, CelType>();
  readonly #references = new Map<number, Reference>();
  readonly #scopes: Scopes;
  readonly #unification = new Unification();

  constructor(names: Names, diagnostics: Diagnostics) {
    this.#names = names;
    this.#scopes = new Scopes(names);
    this.#diagnostics = diagnostics;
  }

  result(root: Expression): CheckedExpression {
    const types = new Map([...this.#types].map(([id, type]) => [id, this.#unification.resolve(type, true)]));
    return { root, types, references: this.#references };
  }

  check(expression: Expression): CelType {
    const type = this.#typeOf(expression);
    this.#types.set(expression.id, type);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case "literal":
        return typeOf(expression.value);
      case "ident": {
        const found = this.#scopes.lookUp(expression.name);
        if (!found) return this.#undeclared(expression, expression.name);
        this.#references.set(expression.id, { kind: "name", name: found.name });
        return found.type;
      }
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression);
      case "map":
        return this.#map(expression);
      case "struct":
        return this.#struct(expression);
      case "comprehension":
        return this.#comprehension(expression);
    }
  }

  #error(at: number, message: string): CelType {
    this.#diagnostics.report(at, message);
    return celType.error;
  }

  #undeclared(expression: Expression, name: string): CelType {
    return this.#error(expression.at, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(expression: Expression, wanted: CelType, found: CelType): CelType {
    return this.#error(expression.at, `expected type '${formatType(wanted)}' but found '${formatType(found)}'`);
  }

  #select(expression: SelectExpression): CelType {
    const qualified = qualifiedName(expression);
    const found = qualified === undefined ? undefined : this.#scopes.lookUp(qualified);
    if (found) {
      this.#references.set(expression.id, { kind: "name", name: found.name });
      return found.type;
    }
    const type = this.#field(expression.at, expression.operand, expression.field, false);
    return expression.testOnly ? celType.bool : this.#unification.resolve(type);
  }

  #field(at: number, operand: Expression, field: string, isOptional: boolean): CelType {
    const operandType = this.#unification.resolve(this.check(operand));
    const [target, wasOptional] = unwrapOptional(operandType);
    const type = this.#fieldOf(at, target, field);
    return wasOptional || isOptional ? celType.optional(type) : type;
  }

  #fieldOf(at: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case "map":
        return target.value;
      case "struct": {
        const found = this.#fieldType(at, target.name, field);
        return found ?? celType.error;
      }
      case "param":
        this.#unification.isAssignable(celType.dyn, target);
        return celType.dyn;
      default:
        if (!isDynOrError(target)) this.#error(at, `type '${formatType(target)}' does not support field selection`);
        return celType.dyn;
    }
  }

  #fieldType(at: number, struct: string, field: string): CelType | undefined {
    const type = this.#names.structs(struct);
    if (!type) {
      this.#error(at, `unexpected failed resolution of '${struct}'`);
      return undefined;
    }
    const found = type.fieldType(field);
    if (!found) this.#error(at, `undefined field '${field}'`);
    return found;
  }

  #call(expression: CallExpression): CelType {
    const { name, args, target } = expression;
    if (name === operators.optionalSelect && !target) return this.#optionalSelect(expression);
    for (const arg of args) this.check(arg);
    if (!target) {
      const declaration = this.#names.functions.get(name.replace(/^\./, ""));
      return declaration ? this.#resolve(expression, declaration, args, false) : this.#undeclared(expression, name);
    }
    const prefix = qualifiedName(target);
    const qualified = prefix === undefined ? undefined : this.#names.functions.get(`${prefix}.${name}`);
    if (qualified) return this.#resolve(expression, qualified, args, false, true);
    this.check(target);
    const declaration = this.#names.functions.get(name);
    return declaration
      ? this.#resolve(expression, declaration, [target, ...args], true)
      : this.#undeclared(expression, name);
  }

  #optionalSelect(expression: CallExpression): CelType {
    const [operand, field] = expression.args;
    if (!operand || field?.kind !== "literal" || typeof field.value !== "string")
      return this.#error(expression.at, "unsupported optional field selection");
    return this.#unification.resolve(this.#field(expression.at, operand, field.value, true));
  }

  #resolve(
    call: CallExpression,
    declaration: FunctionDeclaration,
    args: readonly Expression[],
    isMember: boolean,
    isQualified = false,
  ): CelType {
    const given = args.map((arg) => this.#types.get(arg.id) ?? celType.error);
    if (declaration.name === operators.and || declaration.name === operators.or)
      return this.#logical(call, declaration, given);
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.isMember !== isMember) continue;
      const { args: wanted, result: type } = this.#unification.instantiate(overload);
      if (!this.#unification.areAssignable(given, wanted)) continue;
      matching.push(overload);
      const resolved = this.#unification.resolve(type);
      if (!result) result = resolved;
      else if (!isDyn(result) && !isSameType(resolved, result)) result = celType.dyn;
    }
    if (!result) {
      const signature = formatSignature(
        given.map((type) => this.#unification.resolve(type, true)),
        isMember,
      );
      return this.#error(call.at, `found no matching overload for '${declaration.name}' applied to '${signature}'`);
    }
    this.#references.set(call.id, { kind: "function", declaration, overloads: matching, isQualified });
    return result;
  }

  #logical(call: CallExpression, declaration: FunctionDeclaration, given: readonly CelType[]): CelType {
    let isWrong = false;
    for (const [i, type] of given.entries()) {
      const arg = call.args[i];
      if (this.#unification.isAssignable(type, celType.bool) || !arg) continue;
      this.#mismatch(arg, celType.bool, type);
      isWrong = true;
    }
    if (isWrong) return celType.error;
    this.#references.set(call.id, {
      kind: "function",
      declaration,
      overloads: declaration.overloads,
      isQualified: false,
    });
    return celType.bool;
  }

  #list({ items }: ListExpression): CelType {
    let joined: CelType | undefined;
    for (const { value, optional } of items) joined = this.#join(joined, this.#element(value, optional));
    return celType.list(joined ?? this.#unification.fresh());
  }

  #map({ entries }: MapExpression): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, optional } of entries) {
      keys = this.#join(keys, this.check(key));
      values = this.#join(values, this.#element(value, optional));
    }
    return celType.map(keys ?? this.#unification.fresh(), values ?? this.#unification.fresh());
  }

  #element(expression: Expression, isOptional: boolean): CelType {
    const type = this.check(expression);
    if (!isOptional) return type;
    const [inner, wasOptional] = unwrapOptional(type);
    if (!wasOptional && !isDyn(inner)) this.#mismatch(expression, celType.optional(inner), inner);
    return inner;
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    if (this.#unification.isAssignable(previous, current)) return mostGeneral(previous, current);
    // checkLiterals reports mixed types, but only if the rest of the expression is valid
    return celType.dyn;
  }

  #struct(expression: StructExpression): CelType {
    const found = this.#scopes.lookUp(expression.name);
    if (!found) return this.#undeclared(expression, expression.name);
    this.#references.set(expression.id, { kind: "name", name: found.name });
    let type: CelType = celType.error;
    if (found.type.kind !== "type") {
      if (found.type.kind !== "error") this.#error(expression.at, `'${formatType(found.type)}' is not a type`);
    } else if (found.type.of?.kind === "struct") type = found.type.of;
    else this.#error(expression.at, `'${formatType(found.type.of ?? celType.dyn)}' is not a message type`);
    for (const { name, value, optional, at } of expression.fields) {
      const given = this.#element(value, optional);
      const wanted = type.kind === "struct" ? this.#fieldType(at, type.name, name) : undefined;
      if (this.#unification.isAssignable(wanted ?? celType.error, given)) continue;
      const texts = [formatType(wanted ?? celType.error), formatType(given)];
      this.#error(at, `expected type of field '${name}' is '${texts[0]}' but provided type is '${texts[1]}'`);
    }
    return type;
  }

  #comprehension(expression: ComprehensionExpression): CelType {
    const range = this.#unification.resolve(this.check(expression.range));
    const accumulated = this.check(expression.initial);
    const range2 = this.#unification.resolve(range);
    this.#scopes.push(new Map([[expression.accumulator, accumulated]]));
    this.#scopes.push(this.#loopVariables(expression, range2));
    this.#expect(expression.condition, celType.bool);
    this.#expect(expression.step, accumulated);
    this.#scopes.pop();
    const result = this.check(expression.result);
    this.#scopes.pop();
    return this.#unification.resolve(result);
  }

  #loopVariables(expression: ComprehensionExpression, range: CelType): Map<string, CelType> {
    const { variable, secondVariable } = expression;
    const both = (first: CelType, second: CelType): Map<string, CelType> =>
      new Map([[variable, first], ...(secondVariable === undefined ? [] : [[secondVariable, second] as const])]);
    switch (range.kind) {
      case "list":
        return secondVariable === undefined ? both(range.elem, range.elem) : both(celType.int, range.elem);
      case "map":
        return both(range.key, range.value);
      case "dyn":
      case "error":
      case "param":
        this.#unification.isAssignable(celType.dyn, range);
        return both(celType.dyn, celType.dyn);
      default:
        this.#error(
          expression.range.at,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return both(celType.error, celType.error);
    }
  }

  #expect(expression: Expression, wanted: CelType): void {
    const found = this.check(expression);
    if (!this.#unification.isAssignable(wanted, found)) this.#mismatch(expression, wanted, found);
  }
}
