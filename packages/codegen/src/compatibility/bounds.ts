import { isRecord, jsonEqual, type StructuralSchema } from "@kubewright/apimachinery";
import { type Finding, finding } from "./finding.ts";

const lower = ["minimum", "minLength", "minItems", "minProperties"] as const;
const upper = ["maximum", "maxLength", "maxItems", "maxProperties"] as const;
const refused = "objects with other values are refused";

/** Returns a finding for each constraint that is stricter in the new schema. */
export function narrowed(previous: StructuralSchema, next: StructuralSchema, path: string): Finding[] {
  return [
    ...lower.flatMap((name) => bound(name, previous[name], next[name], path, (was, is) => is > was)),
    ...upper.flatMap((name) => bound(name, previous[name], next[name], path, (was, is) => is < was)),
    ...exclusive("minimum", "exclusiveMinimum", previous, next, path),
    ...exclusive("maximum", "exclusiveMaximum", previous, next, path),
    ...multiples(previous, next, path),
    ...(["pattern", "format"] as const).flatMap((name) => text(name, previous[name], next[name], path)),
    ...enums(previous.enum, next.enum, path),
    ...rules(previous, next, path),
    ...branches(previous, next, path),
  ];
}

function bound(
  name: string,
  was: number | undefined,
  is: number | undefined,
  path: string,
  isNarrower: (was: number, is: number) => boolean,
): Finding[] {
  if (is === undefined || (was !== undefined && !isNarrower(was, is))) return [];
  // A minimum length of 0 is not a constraint.
  if (was === undefined && is === 0 && name !== "minimum" && !name.startsWith("max")) return [];
  return [finding(path, `${name} ${was === undefined ? `${is} is new` : `was ${was}, is ${is}`}: ${refused}`)];
}

function exclusive(
  name: "minimum" | "maximum",
  flag: "exclusiveMinimum" | "exclusiveMaximum",
  previous: StructuralSchema,
  next: StructuralSchema,
  path: string,
): Finding[] {
  if (!next[flag] || previous[flag] || previous[name] !== next[name] || next[name] === undefined) return [];
  return [finding(path, `${name} ${next[name]} is excluded now: objects with this value are refused`)];
}

function multiples(
  { multipleOf: was }: StructuralSchema,
  { multipleOf: is }: StructuralSchema,
  path: string,
): Finding[] {
  if (is === undefined || was === is || (was !== undefined && Number.isInteger(was / is))) return [];
  return [finding(path, `multipleOf ${was === undefined ? `${is} is new` : `was ${was}, is ${is}`}: ${refused}`)];
}

function text(name: string, was: string | undefined, is: string | undefined, path: string): Finding[] {
  if (!is || is === was) return [];
  const change = was ? `was ${JSON.stringify(was)}, is ${JSON.stringify(is)}` : `${JSON.stringify(is)} is new`;
  return [finding(path, `${name} ${change}: objects that do not match are refused`)];
}

function enums(was: readonly unknown[] | undefined, is: readonly unknown[] | undefined, path: string): Finding[] {
  if (!is) return [];
  if (!was) return [finding(path, `enum is new: ${refused}`)];
  const gone = was.filter((value) => !is.some((other) => jsonEqual(value, other)));
  if (gone.length === 0) return [];
  const names = gone.map((value) => JSON.stringify(value)).join(", ");
  return [finding(path, `enum no longer contains ${names}: objects with such a value are refused`)];
}

function rules(previous: StructuralSchema, next: StructuralSchema, path: string): Finding[] {
  const known = new Set(previous["x-kubernetes-validations"]?.map(({ rule }) => rule));
  return (next["x-kubernetes-validations"] ?? [])
    .filter(({ rule }) => !known.has(rule))
    .map(({ rule }) => finding(path, `rule ${JSON.stringify(rule)} is new: objects that violate it are refused`));
}

function branches(previous: StructuralSchema, next: StructuralSchema, path: string): Finding[] {
  return (["allOf", "anyOf", "oneOf", "not"] as const)
    .filter((name) => (isRecord(next[name]) || Array.isArray(next[name])) && !jsonEqual(previous[name], next[name]))
    .filter((name) => !isOnlyWider(name, previous[name], next[name]))
    .map((name) => finding(path, `${name} has changed: objects that do not match are refused`));
}

/** Reports whether a change to a keyword can only make a schema wider: whether it removes constraints or adds alternatives. */
function isOnlyWider(name: string, was: unknown, is: unknown): boolean {
  if (!Array.isArray(was) || !Array.isArray(is)) return false;
  const has = (list: readonly unknown[], value: unknown): boolean => list.some((other) => jsonEqual(other, value));
  if (name === "allOf") return is.every((branch) => has(was, branch));
  return name === "anyOf" && was.every((branch) => has(is, branch));
}
