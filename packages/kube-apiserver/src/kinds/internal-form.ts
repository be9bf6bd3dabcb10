import { type FieldError, type FieldPath, fieldError, isRecord, jsonEqual } from "@kubewright/apimachinery";
import { asSent, withMembers } from "@kubewright/codec";
import { internalTypes } from "./internal-types.ts";
import { shownSelector, sortedMap } from "./label-selector-form.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** What a member holds: a scalar, a struct of the table, a list or map of such, or a value that prints as it is written. */
type Held =
  | { readonly is: "zero"; readonly zero: unknown }
  | { readonly is: "struct"; readonly name: string }
  | { readonly is: "selector" }
  | { readonly is: "list"; readonly of: Held }
  | { readonly is: "map"; readonly of: Held }
  | { readonly is: "pointer"; readonly to: Held };

interface Member {
  readonly printed: string;
  readonly json: string;
  readonly holds: Held;
}

const zeros: Readonly<Record<string, unknown>> = { string: "", bool: false, integer: 0, quantity: "0", raw: null };

function heldBy(text: string): Held {
  if (text.endsWith("?")) return { is: "pointer", to: heldBy(text.slice(0, -1)) };
  if (text.startsWith("[")) return { is: "list", of: heldBy(text.slice(1, -1)) };
  if (text.startsWith("{")) return { is: "map", of: heldBy(text.slice(1, -1)) };
  if (text === "selector") return { is: "selector" };
  return Object.hasOwn(zeros, text) ? { is: "zero", zero: zeros[text] } : { is: "struct", name: text };
}

const read = new Map<string, readonly Member[]>();

function membersOf(type: string): readonly Member[] {
  const known = read.get(type);
  if (known) return known;
  const line = internalTypes.split("\n").find((each) => each.startsWith(`${type} `)) ?? "";
  const members = line
    .split(" ")
    .slice(1)
    .map((text): Member => {
      const [, printed = "", json, held = ""] = /^(@?\w+)(?:=(\w+))?(?::(.*))?$/.exec(text) ?? [];
      return { printed, json: json ?? printed.charAt(0).toLowerCase() + printed.slice(1), holds: heldBy(held) };
    });
  read.set(type, members);
  return members;
}

function shown(value: unknown, held: Held): unknown {
  if (held.is === "pointer") return value === undefined || value === null ? null : shown(value, held.to);
  if (held.is === "list") return Array.isArray(value) ? value.map((item) => shown(item, held.of)) : null;
  if (held.is === "map") {
    if (!isRecord(value)) return null;
    return Object.fromEntries(Object.entries(sortedMap(value)).map(([key, item]) => [key, shown(item, held.of)]));
  }
  if (held.is === "selector") return shownSelector(isRecord(value) ? value : undefined);
  return held.is === "struct" ? internalForm(held.name, value) : (value ?? held.zero);
}

/** What upstream's internal types keep in the pod's security context. */
const ofThePod = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

function moved(type: string, given: Record<string, unknown>): Record<string, unknown> {
  if (type !== "PodSpec") return given;
  const taken = ofThePod.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  const context = isRecord(given.securityContext) ? given.securityContext : {};
  return withMembers(given, { securityContext: withMembers(context, Object.fromEntries(taken)) });
}

/**
 * A value as upstream shows it in errors: of its internal type, which has all members, named as in Go.
 *
 * @param type name of the type in the table
 */
export function internalForm(type: string, value: unknown): Record<string, unknown> {
  const given = moved(type, isRecord(value) ? value : {});
  const result: Record<string, unknown> = {};
  for (const { printed, json, holds } of membersOf(type)) {
    if (printed === "@metadata") Object.assign(result, given.metadata ?? {});
    else if (printed !== "@type") result[printed] = shown(asSent(given, json), holds);
  }
  return result;
}

/** `field is immutable`, with the value in its internal form. */
export function unchanged(type: string, next: unknown, old: unknown, at: FieldPath): FieldError[] {
  const [after, before] = [internalForm(type, next), internalForm(type, old)];
  if (meansTheSame(after, before)) return [];
  return [fieldError.invalid(at, next === undefined ? null : after, "field is immutable")];
}

/** Whether two values in their internal forms are equal, as upstream compares: nothing and an empty list or map are the same. */
export const meansTheSame = (a: unknown, b: unknown): boolean => jsonEqual(withoutEmpties(a), withoutEmpties(b));

function withoutEmpties(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(withoutEmpties);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, withoutEmpties(member)] as const);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** What changed between two values in their internal forms, as upstream appends it to errors. */
export const internalDiff = (type: string, old: unknown, next: unknown): string =>
  unifiedDiff(
    JSON.stringify(internalForm(type, old), undefined, 1),
    JSON.stringify(internalForm(type, next), undefined, 1),
  );
