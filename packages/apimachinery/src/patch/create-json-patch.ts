import { isRecord, jsonEqual } from "../value/json-value.ts";
import { ownMember } from "../value/own-member.ts";
import type { JsonPatchOperation } from "./json-patch.ts";

/** Steps that turn `from` into `to`: none when they are equal. Lists are compared from both ends, not searched for moves. */
export function createJsonPatch(from: unknown, to: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  difference(from, to, "", operations);
  return operations;
}

function difference(from: unknown, to: unknown, path: string, out: JsonPatchOperation[]): void {
  if (jsonEqual(from, to)) return;
  if (isRecord(from) && isRecord(to)) {
    for (const key of Object.keys(from)) {
      if (from[key] !== undefined && ownMember(to, key) === undefined)
        out.push({ op: "remove", path: `${path}/${escapeToken(key)}` });
    }
    for (const [key, value] of Object.entries(to)) {
      if (value === undefined) continue;
      const at = `${path}/${escapeToken(key)}`;
      const old = ownMember(from, key);
      if (old === undefined) out.push({ op: "add", path: at, value });
      else difference(old, value, at, out);
    }
  } else if (Array.isArray(from) && Array.isArray(to)) {
    listDifference(from, to, path, out);
  } else {
    out.push({ op: "replace", path, value: to });
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
  while (head < shorter && jsonEqual(from[head], to[head])) head++;
  let tail = 0;
  while (tail < shorter - head && jsonEqual(from[from.length - 1 - tail], to[to.length - 1 - tail])) tail++;
  const common = shorter - head - tail;
  for (let i = head; i < head + common; i++) difference(from[i], to[i], `${path}/${i}`, out);
  for (let i = from.length - tail - 1; i >= head + common; i--) out.push({ op: "remove", path: `${path}/${i}` });
  for (let i = head + common; i < to.length - tail; i++) out.push({ op: "add", path: `${path}/${i}`, value: to[i] });
}

const escapeToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1");
