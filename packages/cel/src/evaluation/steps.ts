import { CelEntries, CelList } from "../values/collections.ts";
import type { Overload } from "../values/declarations.ts";
import type { CelType } from "../values/type.ts";
import { CelError, CelNode, CelOptional, type CelValue, isError, noSuchOverload, typeOf } from "../values/value.ts";
import type { Frame, Step } from "./frame.ts";

export const areKnown = (values: (CelValue | undefined)[]): values is CelValue[] => !values.includes(undefined);

const badOptional = (kind: string, value: CelValue): CelError =>
  new CelError(`cannot initialize optional ${kind} element from non-optional value ${String(value)}`);

export function lookUp({ bindings, lazy }: Frame, name: string): CelValue {
  const bound = bindings[name];
  if (bound === undefined) return new CelError(`no such attribute(s): ${name}`);
  if (typeof bound !== "function") return bound;
  const known = lazy.get(name);
  if (known !== undefined) return known;
  const value = bound();
  lazy.set(name, value);
  return value;
}

export function conditional(test: Step, yes: Step, no: Step): Step {
  return (frame) => {
    const value = test(frame);
    if (isError(value)) return value;
    if (typeof value !== "boolean") return noSuchOverload();
    return value ? yes(frame) : no(frame);
  };
}

/** Evaluates `&&` and `||`. If one side determines the result, the other side may fail. */
export function logical(left: Step, right: Step, deciding: boolean): Step {
  return (frame) => {
    const a = left(frame);
    if (a === deciding) return a;
    const b = right(frame);
    if (b === deciding) return b;
    if (isError(a)) return a;
    if (isError(b)) return b;
    return typeof a === "boolean" && typeof b === "boolean" ? b : noSuchOverload();
  };
}

export function binary(left: Step, right: Step, apply: (a: CelValue, b: CelValue) => CelValue): Step {
  return (frame) => {
    const a = left(frame);
    if (isError(a)) return a;
    const b = right(frame);
    if (isError(b)) return b;
    frame.meter.add(1);
    return apply(a, b);
  };
}

/** Returns the name that upstream's messages use for a value's type. */
export function goTypeName(value: CelValue): string {
  const { kind } = typeOf(value);
  if (kind === "type") return "*types.Type";
  if (value instanceof CelOptional) return "*types.Optional";
  return `types.${kind[0]?.toUpperCase()}${kind.slice(1)}`;
}

/** Reports whether the arguments match an overload, as far as their types are known. */
export function fits({ args }: Overload, values: readonly CelValue[]): boolean {
  return args.length === values.length && args.every((type, i) => isOf(values[i] ?? null, type));
}

function isOf(value: CelValue, type: CelType): boolean {
  if (type.kind === "dyn" || type.kind === "param") return true;
  const { kind } = typeOf(value);
  if (kind !== type.kind) return false;
  if (!(value instanceof CelNode) || !("name" in type)) return true;
  return "name" in value.type && value.type.name === type.name;
}

/** An element of a list, map or object literal. An optional element without a value is omitted. */
interface Part {
  readonly step: Step;
  readonly optional: boolean;
}

/** Evaluates an element. Returns its value, an error, or `undefined` if the element is omitted. */
function evaluatePart(frame: Frame, { step, optional }: Part, kind: string): CelValue | undefined {
  const value = step(frame);
  if (isError(value) || !optional) return value;
  return value instanceof CelOptional ? value.value : badOptional(kind, value);
}

export function listStep(parts: readonly Part[]): Step {
  return (frame) => {
    const values: CelValue[] = [];
    for (const part of parts) {
      const value = evaluatePart(frame, part, "list");
      if (isError(value)) return value;
      if (value !== undefined) values.push(value);
    }
    frame.meter.add(10);
    return new CelList(values);
  };
}

export function mapStep(parts: readonly (Part & { readonly key: Step })[]): Step {
  return (frame) => {
    const entries: [CelValue, CelValue][] = [];
    for (const part of parts) {
      const key = part.key(frame);
      if (isError(key)) return key;
      const value = evaluatePart(frame, part, "map");
      if (isError(value)) return value;
      if (value !== undefined) entries.push([key, value]);
    }
    frame.meter.add(30);
    return new CelEntries(entries);
  };
}

export function structStep(
  parts: readonly (Part & { readonly name: string })[],
  make: (fields: ReadonlyMap<string, CelValue>) => CelValue,
): Step {
  return (frame) => {
    const fields = new Map<string, CelValue>();
    for (const part of parts) {
      const value = evaluatePart(frame, part, "struct");
      if (isError(value)) return value;
      if (value !== undefined) fields.set(part.name, value);
    }
    frame.meter.add(40);
    return make(fields);
  };
}
