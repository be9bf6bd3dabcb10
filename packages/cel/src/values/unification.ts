import { type CelType, celType, isDyn, isDynOrError, isSameType, paramsOf, withParams } from "./type.ts";

/**
 * The bindings of type variables. {@link areAssignable} changes them only on success.
 *
 * @see cel-go checker/types.go
 */
export class Unification {
  #bound = new Map<string, CelType>();
  #fresh = 0;

  fresh(): CelType {
    return celType.param(`_var${this.#fresh++}`);
  }

  /** Returns a signature in which all type variables are replaced by new ones. */
  instantiate(signature: { readonly args: readonly CelType[]; readonly result: CelType }): typeof signature {
    const fresh = new Map<string, CelType>();
    const rename = (type: CelType): CelType => {
      if (type.kind !== "param") return withParams(type, paramsOf(type).map(rename));
      const variable = fresh.get(type.name) ?? this.fresh();
      fresh.set(type.name, variable);
      return variable;
    };
    return { args: signature.args.map(rename), result: rename(signature.result) };
  }

  /**
   * Reports whether values of the given types can be used where the expected types are required. The types are compared
   * by position.
   */
  areAssignable(given: readonly CelType[], wanted: readonly CelType[]): boolean {
    const before = this.#bound;
    this.#bound = new Map(before);
    if (this.#lists(given, wanted)) return true;
    this.#bound = before;
    return false;
  }

  isAssignable(given: CelType, wanted: CelType): boolean {
    return this.areAssignable([given], [wanted]);
  }

  /**
   * Returns a type in which bound variables are replaced by their types. Unbound variables remain, or become `dyn` if `unboundIsDyn` is
   * true.
   */
  resolve(type: CelType, unboundIsDyn = false): CelType {
    const bound = type.kind === "param" ? this.#bound.get(type.name) : undefined;
    if (bound) return this.resolve(bound, unboundIsDyn);
    if (type.kind === "param") return unboundIsDyn ? celType.dyn : type;
    const params = paramsOf(type);
    return params.length === 0
      ? type
      : withParams(
          type,
          params.map((part) => this.resolve(part, unboundIsDyn)),
        );
  }

  #lists(left: readonly CelType[], right: readonly CelType[]): boolean {
    return left.length === right.length && left.every((type, i) => this.#unify(type, right[i] ?? celType.error));
  }

  #unify(left: CelType, right: CelType): boolean {
    if (right.kind === "param") {
      const result = this.#substitute(left, right);
      if (result.valid) return true;
      if (result.known) return false;
    }
    if (left.kind === "param") return this.#substitute(right, left).valid;
    if (isDynOrError(left) || isDynOrError(right)) return true;
    if (left.kind === "null") return isNullable(right);
    if (right.kind === "null") return isNullable(left);
    if (left.kind !== right.kind) return false;
    switch (left.kind) {
      case "type":
        return true;
      case "list":
      case "map":
        return this.#lists(paramsOf(left), paramsOf(right));
      case "opaque":
        return "name" in right && left.name === right.name && this.#lists(paramsOf(left), paramsOf(right));
      default:
        return isSameType(left, right);
    }
  }

  /** Tries to bind a variable to a type. `known` is true if the variable was already bound, or is itself the type. */
  #substitute(type: CelType, variable: CelType): { valid: boolean; known: boolean } {
    if (variable.kind !== "param") return { valid: false, known: false };
    if (isSameType(type, variable)) return { valid: true, known: true };
    const bound = this.#bound.get(variable.name);
    if (!bound) {
      if (!this.#isFreeOf(variable, type)) return { valid: false, known: false };
      this.#bound.set(variable.name, type);
      return { valid: true, known: false };
    }
    if (isSameType(type, bound)) return { valid: true, known: true };
    if (!this.#unify(type, bound)) return { valid: false, known: true };
    const general = mostGeneral(type, bound);
    if (this.#isFreeOf(variable, general)) this.#bound.set(variable.name, general);
    return { valid: true, known: true };
  }

  #isFreeOf(variable: CelType, within: CelType): boolean {
    if (isSameType(variable, within)) return false;
    if (within.kind === "param") {
      const bound = this.#bound.get(within.name);
      return bound ? this.#isFreeOf(variable, bound) : true;
    }
    return paramsOf(within).every((part) => this.#isFreeOf(variable, part));
  }
}

const isNullable = (type: CelType): boolean =>
  ["opaque", "struct", "duration", "timestamp", "null"].includes(type.kind);

/** Returns the more general of two unified types. */
export const mostGeneral = (left: CelType, right: CelType): CelType => (isLessSpecific(left, right) ? left : right);

function isLessSpecific(left: CelType, right: CelType): boolean {
  if (isDyn(left) || left.kind === "param") return true;
  if (isDyn(right) || right.kind === "param") return false;
  if (left.kind !== right.kind) return false;
  if (left.kind === "type") return true;
  if ("name" in left && "name" in right && left.name !== right.name) return false;
  const [a, b] = [paramsOf(left), paramsOf(right)];
  return a.length === b.length && a.every((part, i) => isLessSpecific(part, b[i] ?? celType.error));
}
