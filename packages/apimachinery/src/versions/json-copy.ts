import { withIntegersOf } from "../value/json.ts";
import { setOwnMember } from "../value/json-value.ts";

/** Thrown for a value that JSON does not support. The message contains the path of the value. */
export class NotJson extends Error {
  override readonly name = "NotJson";
  readonly path: string;
  readonly value: unknown;

  constructor(path: string, value: unknown) {
    super(`${path} is not a JSON value`);
    this.path = path;
    this.value = value;
  }
}

/**
 * Returns a deep copy of a value, as if it had been written to JSON and parsed again: members that are `undefined` are
 * omitted. Integers beyond 2^53 keep their exact values.
 *
 * @throws {NotJson} if the value contains something that JSON would change, such as a date, a map, a function or NaN
 */
export function jsonCopy(value: unknown): unknown {
  const copy = copied(value);
  if (copy === notJson) refuse(value, "");
  return copy;
}

const notJson = Symbol("not JSON");

/**
 * Copies a value. Returns {@link notJson} if it is not valid, without the path of the invalid part, because tracking paths costs more than
 * the copy.
 */
function copied(value: unknown): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "bigint")
    return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : notJson;
  if (Array.isArray(value)) {
    const items = new Array<unknown>(value.length);
    for (let index = 0; index < value.length; index++) {
      const item = copied(value[index]);
      if (item === notJson) return notJson;
      items[index] = item;
    }
    return withIntegersOf(value, items);
  }
  if (!isPlain(value)) return notJson;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const of = copied(member);
    if (of === notJson) return notJson;
    setOwnMember(copy, name, of);
  }
  return withIntegersOf(value, copy);
}

/** Throws for the first value that {@link copied} rejected. */
function refuse(value: unknown, path: string): void {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) refuse(item, `${path}[${index}]`);
  else if (isPlain(value)) {
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) refuse(member, path === "" ? name : `${path}.${name}`);
  } else if (copied(value) === notJson) throw new NotJson(path, value);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
