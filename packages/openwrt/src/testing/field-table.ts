import type { Cnf } from "./cnf.ts";
import { LuaError, Refusal } from "./response.ts";

/** Result of a validation: true if the value is valid, otherwise the details of the error. */
type Verdict = boolean | string;
export type Validator = (value: unknown, cnf: Cnf) => Verdict;

/** A row in a resource's field table. Rows are checked in order. */
export interface Field {
  readonly name: string;
  /** Name of the UCI option, if it differs from the field's name. */
  readonly option?: string | undefined;
  /** True to refuse objects without the field. In the reference CNF, only `name` is mandatory. */
  readonly mandatory?: boolean | undefined;
  readonly default?: string | undefined;
  /** True if the field is a list whose elements are checked. */
  readonly list?: boolean | undefined;
  readonly check?: Validator | undefined;
  /** Fields of the list's elements, if these are objects. */
  readonly fields?: readonly Field[] | undefined;
  /** Text of the error response. */
  readonly text?: string | undefined;
  /** Status of the error response, which is the same in the reference CNF. Default 400. */
  readonly code?: 428 | undefined;
  /** True if the reference CNF does not support the field and drops it. */
  readonly isExtension?: boolean | undefined;
  /** Status of the error response, if it differs from the reference CNF's status, 400. */
  readonly fixedCode?: 428 | undefined;
}

export type FieldValue = string | number | boolean | readonly FieldValue[] | FieldRecord;
export interface FieldRecord {
  [field: string]: FieldValue | undefined;
}

/** Validates the values in a body. Returns them trimmed, with defaults added and unknown keys removed. */
export function checkFields(fields: readonly Field[], source: unknown, cnf: Cnf): FieldRecord {
  if (cnf.quirks && (source === undefined || typeof source === "number" || typeof source === "boolean")) {
    throw new LuaError("utils", 706, `attempt to index local 'src' (a ${luaType(source)} value)`);
  }
  const record: FieldRecord = {};
  for (const field of fields) {
    if (field.isExtension && cnf.quirks) continue;
    const value = present(member(source, field.name)) ?? field.default;
    if (value === undefined) {
      if (field.mandatory && !cnf.quirks) throw new Refusal(400, `Field[${field.name}] checked failed: required`);
    } else {
      record[field.name] = field.list ? checkList(field, value, cnf) : checkScalar(field, value, cnf);
    }
  }
  return record;
}

/** Returns the values in a body for which there is no field table. Trims the values, and drops empty ones. */
export function anyFields(source: unknown): FieldRecord {
  const entries = typeof source === "object" && source !== null ? Object.entries(source) : [];
  const values = entries.map(([name, value]) => [name, present(value)] as const);
  return Object.fromEntries(
    values.filter(([, value]) => value !== undefined).map(([name, value]) => [name, asFieldValue(value)]),
  );
}

function checkScalar(field: Field, value: unknown, cnf: Cnf): FieldValue {
  if (field.check) insist(field, field.check(value, cnf), cnf);
  else if (!cnf.quirks && typeof value === "object") throw refusal(field, cnf);
  return asFieldValue(value);
}

function checkList(field: Field, value: unknown, cnf: Cnf): FieldValue {
  const elements = elementsOf(value, cnf);
  if (elements.length === 0) throw refusal(field, cnf, "Not an array", cnf.quirks ? field.code : undefined);
  const checked: FieldValue[] = [];
  for (const element of elements) {
    if (field.fields) checked.push(checkNested(field, field.fields, element, cnf));
    else {
      if (field.check) insist(field, field.check(element, cnf), cnf);
      if (element !== undefined && element !== null) checked.push(asFieldValue(element));
    }
  }
  return checked;
}

/** Returns the elements of a list, as Lua's operators for length and index do: a string has a length, but no elements. */
function elementsOf(value: unknown, cnf: Cnf): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!cnf.quirks || typeof value === "object") return [];
  if (typeof value === "string") return Array.from({ length: value.length });
  throw new LuaError("utils", 652, `attempt to get length of local 'src' (a ${luaType(value)} value)`);
}

function checkNested(field: Field, fields: readonly Field[], element: unknown, cnf: Cnf): FieldRecord {
  if (!cnf.quirks && (typeof element !== "object" || element === null || Array.isArray(element))) {
    throw refusal(field, cnf, "Not an object");
  }
  try {
    return checkFields(fields, element, cnf);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The reference CNF puts the status before the message, so the status is lost in this case.
    if (cnf.quirks) throw refusal(field, cnf, `${error.status === 400 ? "" : `${error.status}:`}${error.message}`);
    throw refusal(field, cnf, error.message, error.status);
  }
}

function insist(field: Field, verdict: Verdict, cnf: Cnf): void {
  if (verdict === true) return;
  throw refusal(field, cnf, verdict === false ? undefined : verdict);
}

function refusal(field: Field, cnf: Cnf, detail?: string, status?: number): Refusal {
  const code = status ?? field.code ?? (cnf.quirks ? undefined : field.fixedCode) ?? 400;
  const suffix = detail === undefined ? "" : ` [${detail}]`;
  return new Refusal(detail === "Not an array" && !cnf.quirks ? 400 : code, message(field, suffix, cnf));
}

function message({ name, text }: Field, suffix: string, cnf: Cnf): string {
  return `Field[${name}] checked failed: ${text ?? (cnf.quirks ? "" : `invalid ${name}`)}${suffix}`;
}

function member(source: unknown, key: string): unknown {
  if (typeof source !== "object" || source === null || Array.isArray(source)) return undefined;
  return Object.entries(source).find(([name]) => name === key)?.[1];
}

function present(value: unknown): unknown {
  if (typeof value !== "string") return value ?? undefined;
  return value.trim() || undefined;
}

/** Returns a value without the parts that UCI could not store. */
function asFieldValue(value: unknown): FieldValue {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return Array.isArray(value) ? value.map(asFieldValue) : [];
}

export function luaType(value: unknown): string {
  if (value === undefined || value === null) return "nil";
  return typeof value === "object" ? "table" : typeof value;
}
