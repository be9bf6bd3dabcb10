import { isRecord, jsonEqual, quote } from "@kubewright/apimachinery";

/** A JSON patch that does not fit; the message is upstream's library's. */
export class JsonPatchError extends Error {
  override readonly name: string = "JsonPatchError";
}

/** A step of type `test` found another value. */
export class JsonPatchTestFailed extends JsonPatchError {
  override readonly name = "JsonPatchTestFailed";
}

/** One step, as it was sent. */
export type RawOperation = Readonly<Record<string, unknown>>;

type Container = unknown[] | Record<string, unknown>;

const missing = "missing value";
const badIndex = "invalid index referenced";

/**
 * A document after an RFC 6902 patch, as the library that webhooks and policies of the real server are served by applies it: members
 * that are not there are null, indices may count from the end, and errors are told in its words. The document is changed in place.
 *
 * @throws {JsonPatchError}
 * @see github.com/evanphx/json-patch v4
 */
export function applyReviewPatch(document: Record<string, unknown>, operations: readonly RawOperation[]): unknown {
  let root: unknown = document;
  for (const operation of operations) root = apply(root, operation);
  return root;
}

function apply(root: unknown, operation: RawOperation): unknown {
  const { op } = operation;
  switch (op) {
    case "add":
      return add(root, pathOf(operation, "add"), valueIn(operation));
    case "remove":
      remove(root, pathOf(operation, "remove"));
      return root;
    case "replace":
      return replace(root, pathOf(operation, "replace"), valueIn(operation));
    case "move":
      move(root, fromOf(operation, "move"), pathOf(operation, "move"));
      return root;
    case "copy":
      copy(root, fromOf(operation, "copy"), pathOf(operation, "copy"));
      return root;
    case "test":
      test(root, pathOf(operation, "test"), operation.value ?? null);
      return root;
    default:
      throw new JsonPatchError(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
  }
}

function add(root: unknown, path: string, value: unknown): unknown {
  const place = find(root, path);
  if (!place) throw new JsonPatchError(`add operation does not apply: doc is missing path: ${quote(path)}: ${missing}`);
  within(`error in add for path: '${path}'`, () => insert(place, value));
  return root;
}

function remove(root: unknown, path: string): void {
  const place = find(root, path);
  if (!place)
    throw new JsonPatchError(`remove operation does not apply: doc is missing path: ${quote(path)}: ${missing}`);
  within(`error in remove for path: '${path}'`, () => take(place));
}

function replace(root: unknown, path: string, value: unknown): unknown {
  if (path === "") {
    if (typeof value === "object" && value !== null) return value;
    throw new JsonPatchError("replace operation value must be object or array");
  }
  const place = find(root, path);
  if (!place) throw new JsonPatchError(`replace operation does not apply: doc is missing path: ${path}: ${missing}`);
  const { container, key } = place;
  if (!Array.isArray(container)) setMember(container, key, value);
  else {
    const index = indexIn(container, key);
    if (index === undefined)
      throw new JsonPatchError(`replace operation does not apply: doc is missing key: ${path}: ${missing}`);
    container[index] = value;
  }
  return root;
}

function move(root: unknown, from: string, path: string): void {
  const source = find(root, from);
  if (!source) throw new JsonPatchError(`move operation does not apply: doc is missing from path: ${from}: ${missing}`);
  const value = within(`error in move for path: '${source.key}'`, () => take(source));
  const target = find(root, path);
  if (!target)
    throw new JsonPatchError(`move operation does not apply: doc is missing destination path: ${path}: ${missing}`);
  within(`error in move for path: '${path}'`, () => insert(target, value));
}

function copy(root: unknown, from: string, path: string): void {
  const source = find(root, from);
  if (!source) throw new JsonPatchError(`copy operation does not apply: doc is missing from path: ${from}: ${missing}`);
  const value = within(`error in copy for from: '${from}'`, () => read(source));
  const target = find(root, path);
  if (!target)
    throw new JsonPatchError(`copy operation does not apply: doc is missing destination path: ${path}: ${missing}`);
  within("error while adding value during copy", () => insert(target, structuredClone(value)));
}

function test(root: unknown, path: string, value: unknown): void {
  const failed = (): JsonPatchError => new JsonPatchTestFailed(`testing value ${path} failed: test failed`);
  if (path === "") {
    if (!jsonEqual(root, value)) throw failed();
    return;
  }
  const place = find(root, path);
  if (!place) throw new JsonPatchError(`test operation does not apply: is missing path: ${path}: ${missing}`);
  const actual = within(`error in test for path: '${path}'`, () => read(place));
  if (!jsonEqual(actual ?? null, value)) throw failed();
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

/** The container of a member, or nothing where that is missing. The text before the first slash is not looked at. */
function find(root: unknown, path: string): Place | undefined {
  const tokens = path.split("/").slice(1).map(decodeToken);
  const key = tokens.pop();
  if (key === undefined) return undefined;
  let at: unknown = root;
  for (const token of tokens) {
    if (Array.isArray(at)) {
      const index = indexIn(at, token);
      at = index === undefined ? undefined : at[index];
    } else at = isRecord(at) && Object.hasOwn(at, token) ? at[token] : undefined;
  }
  return Array.isArray(at) || isRecord(at) ? { container: at, key } : undefined;
}

function read({ container, key }: Place): unknown {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : null;
  return container[checkedIndex(container, key)];
}

function take({ container, key }: Place): unknown {
  if (Array.isArray(container)) return container.splice(checkedIndex(container, key), 1)[0];
  if (!Object.hasOwn(container, key)) throw new JsonPatchError(`Unable to remove nonexistent key: ${key}: ${missing}`);
  const value = container[key];
  delete container[key];
  return value;
}

function insert({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) {
    setMember(container, key, value);
    return;
  }
  if (key === "-") {
    container.push(value);
    return;
  }
  const index = within(`value was not a proper array index: '${key}'`, () => integer(key));
  const size = container.length + 1;
  if (index >= size || index < -size) throw new JsonPatchError(`Unable to access invalid index: ${index}: ${badIndex}`);
  container.splice(index < 0 ? index + size : index, 0, value);
}

/** Also safe for a key named `__proto__`. */
function setMember(container: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

function checkedIndex(list: readonly unknown[], key: string): number {
  const index = integer(key);
  const found = indexIn(list, key);
  if (found === undefined) throw new JsonPatchError(`Unable to access invalid index: ${index}: ${badIndex}`);
  return found;
}

function indexIn(list: readonly unknown[], key: string): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined;
  const index = Number(key);
  if (index >= list.length || index < -list.length) return undefined;
  return index < 0 ? index + list.length : index;
}

function integer(key: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw new JsonPatchError(`strconv.Atoi: parsing ${quote(key)}: invalid syntax`);
  return Number(key);
}

function within<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw new JsonPatchError(`${what}: ${error.message}`);
  }
}

function pathOf({ path }: RawOperation, op: string): string {
  if (typeof path === "string") return path;
  throw new JsonPatchError(`${op} operation failed to decode path: ${missing}`);
}

function fromOf({ from }: RawOperation, op: string): string {
  if (typeof from === "string") return from;
  throw new JsonPatchError(`${op} operation failed to decode from: operation, missing from field: ${missing}`);
}

const valueIn = ({ value }: RawOperation): unknown => structuredClone(value === undefined ? null : value);
const decodeToken = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");
