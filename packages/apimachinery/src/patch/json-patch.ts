import { stringifyJson } from "../value/json.ts";
import { isRecord, jsonEqual } from "../value/json-value.ts";
import { ownMember, setOwnMember } from "../value/own-member.ts";
import { PatchError } from "./patch-error.ts";

/** One step of an RFC 6902 patch. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** How many bytes of text the copies of one patch may add up to, as for upstream. Each could double what is there. */
const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * The document after an RFC 6902 patch. The document is not changed.
 *
 * @throws {PatchError} if a step cannot be done or a `test` fails; nothing is applied then
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  let result: unknown = structuredClone(document);
  let copiedBytes = 0;
  const copyOf = (value: unknown): unknown => {
    copiedBytes += new TextEncoder().encode(stringifyJson(value)).length;
    if (copiedBytes > maxCopiedBytes)
      throw new PatchError(
        `Unable to complete the copy, the accumulated size increase of copy is ${copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
      );
    return structuredClone(value);
  };
  for (const operation of operations) result = applyOperation(result, operation, copyOf);
  return result;
}

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

function applyOperation(
  document: unknown,
  operation: JsonPatchOperation,
  copyOf: (value: unknown) => unknown,
): unknown {
  switch (operation.op) {
    case "add":
      return add(document, operation.path, structuredClone(operation.value));
    case "remove":
      return remove(document, operation.path).document;
    case "replace": {
      if (operation.path === "") return structuredClone(operation.value);
      const { parent, key } = parentOf(document, operation.path);
      if (!hasMember(parent, key)) throw missing("replace", operation.path);
      setMember(parent, key, structuredClone(operation.value));
      return document;
    }
    case "test": {
      const actual = operation.path === "" ? document : valueAt(document, operation.path, true);
      if (!jsonEqual(actual ?? null, operation.value ?? null))
        throw new PatchError(`testing value ${operation.path} failed: test failed`);
      return document;
    }
    case "copy":
      return add(document, operation.path, copyOf(valueAt(document, operation.from)));
    case "move": {
      if (operation.path.startsWith(`${operation.from}/`))
        throw new PatchError(`move operation does not apply: ${operation.path} is inside ${operation.from}`);
      const taken = remove(document, operation.from);
      return add(taken.document, operation.path, taken.value);
    }
    default:
      throw new PatchError(`Unexpected kind: ${String((operation as { op?: unknown }).op)}`);
  }
}

type Container = unknown[] | Record<string, unknown>;

function parentOf(document: unknown, pointer: string): { readonly parent: Container; readonly key: string } {
  const tokens = parsePointer(pointer);
  const key = tokens.pop();
  if (key === undefined) throw new PatchError("the whole document has no parent");
  let at: unknown = document;
  for (const token of tokens) at = memberOf(at, token, pointer);
  if (!Array.isArray(at) && !isRecord(at)) throw missing("find parent of", pointer);
  return { parent: at, key };
}

function valueAt(document: unknown, pointer: string, missingIsNull = false): unknown {
  if (pointer === "") return document;
  const { parent, key } = parentOf(document, pointer);
  if (missingIsNull && isRecord(parent) && !Object.hasOwn(parent, key)) return null;
  return memberOf(parent, key, pointer);
}

function add(document: unknown, pointer: string, value: unknown): unknown {
  if (pointer === "") return value;
  const { parent, key } = parentOf(document, pointer);
  if (Array.isArray(parent))
    parent.splice(key === "-" ? parent.length : position(key, parent.length, pointer), 0, value);
  else setMember(parent, key, value);
  return document;
}

function remove(document: unknown, pointer: string): { readonly document: unknown; readonly value: unknown } {
  if (pointer === "") return { document: null, value: document };
  const { parent, key } = parentOf(document, pointer);
  if (!hasMember(parent, key)) throw missing("remove", pointer);
  if (Array.isArray(parent)) return { document, value: parent.splice(Number(key), 1)[0] };
  const value = parent[key];
  delete parent[key];
  return { document, value };
}

function memberOf(container: unknown, key: string, pointer: string): unknown {
  if (Array.isArray(container)) {
    if (!hasMember(container, key)) throw missing("find", pointer);
    return container[Number(key)];
  }
  if (!isRecord(container) || !Object.hasOwn(container, key)) throw missing("find", pointer);
  return container[key];
}

function hasMember(container: Container, key: string): boolean {
  return Array.isArray(container)
    ? arrayIndex.test(key) && Number(key) < container.length
    : Object.hasOwn(container, key);
}

function setMember(container: Container, key: string, value: unknown): void {
  if (Array.isArray(container)) container[Number(key)] = value;
  else setOwnMember(container, key, value);
}

const arrayIndex = /^(0|[1-9]\d*)$/;

function position(key: string, length: number, pointer: string): number {
  if (!arrayIndex.test(key) || Number(key) > length) throw missing("add to", pointer);
  return Number(key);
}

function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (typeof pointer !== "string" || !pointer.startsWith("/"))
    throw new PatchError(`path must start with "/": ${JSON.stringify(pointer)}`);
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

const escapeToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1");

const missing = (verb: string, pointer: string): PatchError =>
  new PatchError(`cannot ${verb} ${JSON.stringify(pointer)}: no such path in the document`);
