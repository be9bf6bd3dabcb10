import { ownMember } from "@kubewright/apimachinery";
import { typeName } from "../values/type.ts";
import { CelError, type CelValue, noSuchOverload, typeOf } from "../values/value.ts";

const numbers = ["int", "uint", "double"];
const ordered = [...numbers, "bool", "bytes", "string", "duration", "timestamp"];

/** Types of first arguments by function. A function checks its other arguments only if the first one has one of these types. */
const firstArguments: Readonly<Record<string, readonly string[]>> = {
  "_+_": [...numbers, "bytes", "string", "list", "duration", "timestamp"],
  "_-_": [...numbers, "duration", "timestamp"],
  "_*_": numbers,
  "_/_": numbers,
  "_%_": ["int", "uint"],
  "-_": [...numbers, "duration", "bool"],
  "_<_": ordered,
  "_<=_": ordered,
  "_>_": ordered,
  "_>=_": ordered,
  size: [],
  sort: [],
};
const terse = new Set(["startsWith", "endsWith", "contains", "matches", "find", "findAll", "!_", "@in"]);

/**
 * Returns the message for a call without a matching overload. At run time, this can be caused only by values whose type
 * is unknown.
 */
export function missingOverload(name: string, values: readonly CelValue[]): CelError {
  const [first = null] = values;
  const allowed = ownMember(firstArguments, name);
  if (terse.has(name) || allowed?.includes(typeOf(first).kind)) return noSuchOverload();
  if (allowed) return new CelError(`no such overload: ${name}`);
  const types = values.map((value) => typeName(typeOf(value)));
  return new CelError(`no such overload: ${name}(${types.join(", ")})`);
}
