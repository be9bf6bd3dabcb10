import { CelList, CelMap, CelStruct } from "../values/collections.ts";
import { typeName } from "../values/type.ts";
import { CelError, CelOptional, CelUint, type CelValue, noSuchKey, typeOf } from "../values/value.ts";

/** Evaluates `value.field`. */
export function selectField(value: CelValue, field: string): CelValue {
  if (value instanceof CelOptional) return selectOptional(value, field);
  if (value instanceof CelList) return noListIndex(field);
  const found = findField(value, field);
  return found === undefined ? noSuchKey(field) : found;
}

function findField(value: CelValue, field: string): CelValue | undefined {
  return value instanceof CelMap || value instanceof CelStruct ? value.find(field) : undefined;
}

/** Evaluates `value.?field`. */
export function selectOptional(value: CelValue, field: string): CelValue {
  const target = value instanceof CelOptional ? value.value : value;
  if (target instanceof CelList) return noListIndex(field);
  const found = target === undefined ? undefined : findField(target, field);
  return found === undefined ? CelOptional.none : new CelOptional(found);
}

/** Evaluates `has(value.field)`. */
export function testField(value: CelValue, field: string): CelValue {
  const target = value instanceof CelOptional ? value.value : value;
  if (target instanceof CelList) return noListIndex(field);
  return target !== undefined && findField(target, field) !== undefined;
}

/** Evaluates `value[index]`. */
export function indexValue(value: CelValue, index: CelValue): CelValue {
  if (value instanceof CelOptional) return optionalIndex(value, index);
  const found = findIndex(value, index);
  if (found !== undefined) return found;
  return value instanceof CelList ? new CelError(`index out of bounds: ${shown(index)}`) : noSuchKey(shown(index));
}

/** Evaluates `value[?index]`. */
export function optionalIndex(value: CelValue, index: CelValue): CelValue {
  const target = value instanceof CelOptional ? value.value : value;
  const found = target === undefined ? undefined : findIndex(target, index);
  if (found instanceof CelError) return found;
  return found === undefined ? CelOptional.none : new CelOptional(found);
}

function findIndex(value: CelValue, index: CelValue): CelValue | undefined {
  if (value instanceof CelMap) return value.find(index);
  if (value instanceof CelStruct) return typeof index === "string" ? value.find(index) : undefined;
  if (!(value instanceof CelList)) return undefined;
  const at = integer(index);
  if (at === undefined) return noListIndex(index);
  return at >= 0 && at < value.length ? value.at(at) : undefined;
}

const noListIndex = (index: CelValue): CelError =>
  new CelError(`unsupported index type '${typeName(typeOf(index))}' in list`);

function integer(index: CelValue): number | undefined {
  if (typeof index === "bigint") return Number(index);
  if (index instanceof CelUint) return Number(index.value);
  return typeof index === "number" && Number.isInteger(index) ? index : undefined;
}

const shown = (index: CelValue): string => (index instanceof CelUint ? String(index.value) : String(index));
