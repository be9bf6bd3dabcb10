import { isSameMember, keepIntegerOf } from "../value/json.ts";
import { isRecord, jsonEqual, ownMember } from "../value/json-value.ts";
import type { JsonPatchOperation } from "./json-patch.ts";

/**
 * Returns the RFC 6902 operations that turn `from` into `to`. The result is empty if both are equal. Lists are compared
 * from both ends; moved items are not detected as such.
 */
export function createJsonPatch(from: unknown, to: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  difference({ "": from }, "", { "": to }, "", "", operations);
  return operations;
}

type Holder = Readonly<Record<string | number, unknown>> | readonly unknown[];
type Key = string | number;

const at = (holder: Holder, key: Key): unknown => (holder as Readonly<Record<Key, unknown>>)[key];

/**
 * Returns the operations for two members or items. The objects or lists that contain them are passed as well, because exact values
 * of large integers are stored with these.
 */
function difference(
  before: Holder,
  keyBefore: Key,
  after: Holder,
  keyAfter: Key,
  path: string,
  out: JsonPatchOperation[],
): void {
  const [from, to] = [at(before, keyBefore), at(after, keyAfter)];
  if (isEqual(before, keyBefore, after, keyAfter)) return;
  if (isRecord(from) && isRecord(to)) {
    for (const key of Object.keys(from)) {
      if (from[key] !== undefined && ownMember(to, key) === undefined)
        out.push({ op: "remove", path: `${path}/${escapeToken(key)}` });
    }
    for (const [key, value] of Object.entries(to)) {
      if (value === undefined) continue;
      const inner = `${path}/${escapeToken(key)}`;
      if (ownMember(from, key) === undefined) out.push(setting("add", inner, to, key));
      else difference(from, key, to, key, inner, out);
    }
  } else if (Array.isArray(from) && Array.isArray(to)) {
    listDifference(from, to, path, out);
  } else {
    out.push(setting("replace", path, after, keyAfter));
  }
}

function listDifference(
  from: readonly unknown[],
  to: readonly unknown[],
  path: string,
  out: JsonPatchOperation[],
): void {
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && isEqual(from, head, to, head)) head++;
  let tail = 0;
  while (tail < shorter - head && isEqual(from, from.length - 1 - tail, to, to.length - 1 - tail)) tail++;
  const common = shorter - head - tail;
  for (let i = head; i < head + common; i++) difference(from, i, to, i, `${path}/${i}`, out);
  for (let i = from.length - tail - 1; i >= head + common; i--) out.push({ op: "remove", path: `${path}/${i}` });
  for (let i = head + common; i < to.length - tail; i++) out.push(setting("add", `${path}/${i}`, to, i));
}

const isEqual = (before: Holder, keyBefore: Key, after: Holder, keyAfter: Key): boolean =>
  isSameMember(before, keyBefore, after, keyAfter, jsonEqual(at(before, keyBefore), at(after, keyAfter)));

function setting(op: "add" | "replace", path: string, holder: Holder, key: Key): JsonPatchOperation {
  const operation = { op, path, value: at(holder, key) };
  keepIntegerOf(holder, key, operation, "value");
  return operation;
}

const escapeToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1");
