import { quote } from "../value/go-format.ts";
import { parseJson, stringifyJson } from "../value/json.ts";
import { isRecord, jsonEqual, ownMember, setOwnMember } from "../value/json-value.ts";
import { isErrorWithCode } from "../value/kubewright-error.ts";
import { PatchError } from "./patch-error.ts";

/** An operation of an RFC 6902 patch. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** Thrown if a JSON patch cannot be applied to a document. The message is the same as that of upstream's library. */
export class JsonPatchError extends PatchError {
  override readonly name: string = "JsonPatchError";
  override readonly code: string = "ERR_JSON_PATCH";
}

/** Reports whether an error is a {@link JsonPatchError}, which includes {@link JsonPatchTestError}. */
export const isJsonPatchError = (error: unknown): error is JsonPatchError =>
  isErrorWithCode<JsonPatchError>("ERR_JSON_PATCH")(error) || isJsonPatchTestError(error);

/** Thrown if a `test` operation fails. */
export class JsonPatchTestError extends JsonPatchError {
  override readonly name = "JsonPatchTestError";
  override readonly code = "ERR_JSON_PATCH_TEST";
}

/** Reports whether an error is a {@link JsonPatchTestError}. */
export const isJsonPatchTestError = isErrorWithCode<JsonPatchTestError>("ERR_JSON_PATCH_TEST");

/** An operation as received, before validation. */
export type RawOperation = Readonly<Record<string, unknown>>;

type Container = unknown[] | Record<string, unknown>;

const missing = "missing value";
const badIndex = "invalid index referenced";

/** Maximum number of list items that one patch may shift. With realistic lists, upstream's limit of 10,000 operations is reached first. */
const maxShiftedItems = 100_000_000;

/**
 * Maximum total size of the values that one patch may copy, in bytes. It equals the size limit for requests. Without it, each copy could
 * double the size of the document.
 */
const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * Returns a patched copy of a document. The RFC 6902 patch is applied in the same way as by the API server: missing
 * members are null, and indices may count from the end. Error messages are also the same. The document itself is not
 * modified.
 *
 * @throws {JsonPatchError} if an operation cannot be applied or a `test` fails
 * @see github.com/evanphx/json-patch v4
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  return patchInPlace(structuredClone(document), operations);
}

/**
 * Applies a patch like {@link applyJsonPatch}, but modifies the document itself, and accepts operations that have not
 * been validated. If an operation fails, earlier operations are not undone. The limits on shifted items and copied
 * bytes always apply.
 *
 * @param options `isTooDeep` reports whether a value is nested too deeply for the caller. Default: no limit
 *
 * @throws {JsonPatchError} if an operation cannot be applied, a `test` fails or the result is nested too deeply
 */
export function patchInPlace(
  document: unknown,
  operations: readonly RawOperation[],
  { isTooDeep = () => false }: { readonly isTooDeep?: ((value: unknown) => boolean) | undefined } = {},
): unknown {
  const patch: Patching = { root: document, copiedBytes: 0, shiftedItems: 0, isTooDeep };
  for (const operation of operations) apply(patch, operation);
  if (isTooDeep(patch.root)) throw new JsonPatchError("exceeded max depth");
  return patch.root;
}

interface Patching {
  root: unknown;
  copiedBytes: number;
  shiftedItems: number;
  readonly isTooDeep: (value: unknown) => boolean;
}

function apply(patch: Patching, operation: RawOperation): void {
  const { op } = operation;
  switch (op) {
    case "add":
      add(patch, pathOf(operation, "add"), valueIn(operation));
      break;
    case "remove":
      remove(patch, pathOf(operation, "remove"));
      break;
    case "replace":
      replace(patch, pathOf(operation, "replace"), valueIn(operation));
      break;
    case "move":
      move(patch, fromOf(operation, "move"), pathOf(operation, "move"));
      break;
    case "copy":
      copy(patch, fromOf(operation, "copy"), pathOf(operation, "copy"));
      break;
    case "test":
      test(patch, pathOf(operation, "test"), operation.value ?? null);
      break;
    default:
      throw new JsonPatchError(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
  }
}

function add(patch: Patching, path: string, value: unknown): void {
  const place = find(patch, path);
  if (!place) throw new JsonPatchError(`add operation does not apply: doc is missing path: ${quote(path)}: ${missing}`);
  within(`error in add for path: '${path}'`, () => insert(patch, place, value));
}

function remove(patch: Patching, path: string): void {
  const place = find(patch, path);
  if (!place)
    throw new JsonPatchError(`remove operation does not apply: doc is missing path: ${quote(path)}: ${missing}`);
  within(`error in remove for path: '${path}'`, () => take(patch, place));
}

function replace(patch: Patching, path: string, value: unknown): void {
  if (path === "") {
    if (typeof value !== "object" || value === null)
      throw new JsonPatchError("replace operation value must be object or array");
    patch.root = value;
    return;
  }
  const place = find(patch, path);
  if (!place) throw new JsonPatchError(`replace operation does not apply: doc is missing path: ${path}: ${missing}`);
  const { container, key } = place;
  if (!Array.isArray(container)) setOwnMember(container, key, value);
  else {
    const index = indexIn(container, key);
    if (index === undefined)
      throw new JsonPatchError(`replace operation does not apply: doc is missing key: ${path}: ${missing}`);
    container[index] = value;
  }
}

function move(patch: Patching, from: string, path: string): void {
  const source = find(patch, from);
  if (!source) throw new JsonPatchError(`move operation does not apply: doc is missing from path: ${from}: ${missing}`);
  const value = within(`error in move for path: '${source.key}'`, () => take(patch, source));
  const target = find(patch, path);
  if (!target)
    throw new JsonPatchError(`move operation does not apply: doc is missing destination path: ${path}: ${missing}`);
  within(`error in move for path: '${path}'`, () => insert(patch, target, value));
}

function copy(patch: Patching, from: string, path: string): void {
  const source = find(patch, from);
  if (!source) throw new JsonPatchError(`copy operation does not apply: doc is missing from path: ${from}: ${missing}`);
  const value = within(`error in copy for from: '${from}'`, () => read(source));
  const target = find(patch, path);
  if (!target)
    throw new JsonPatchError(`copy operation does not apply: doc is missing destination path: ${path}: ${missing}`);
  const copied = copyOf(patch, value);
  within("error while adding value during copy", () => insert(patch, target, copied));
}

/** Returns a copy of a value. As in upstream, the size of its JSON text is counted. */
function copyOf(patch: Patching, value: unknown): unknown {
  if (value === null) return null;
  if (patch.isTooDeep(value)) throw new JsonPatchError("exceeded max depth");
  const text = stringifyJson(value);
  patch.copiedBytes += new TextEncoder().encode(text).length;
  if (patch.copiedBytes > maxCopiedBytes)
    throw new JsonPatchError(
      `Unable to complete the copy, the accumulated size increase of copy is ${patch.copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
    );
  return parseJson(text);
}

function test(patch: Patching, path: string, value: unknown): void {
  const failed = (): JsonPatchError => new JsonPatchTestError(`testing value ${path} failed: test failed`);
  if (path === "") {
    if (!jsonEqual(patch.root, value)) throw failed();
    return;
  }
  const place = find(patch, path);
  if (!place) throw new JsonPatchError(`test operation does not apply: is missing path: ${path}: ${missing}`);
  const actual = within(`error in test for path: '${path}'`, () => read(place));
  if (!jsonEqual(actual ?? null, value)) throw failed();
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

/**
 * Returns the object or list that contains the member at a path, or `undefined` if it does not exist. Ignores the text before the
 * first slash.
 */
function find({ root }: Patching, path: string): Place | undefined {
  let at: unknown = root;
  for (let slash = path.indexOf("/"); slash >= 0; ) {
    const next = path.indexOf("/", slash + 1);
    const token = decodeToken(path.slice(slash + 1, next < 0 ? undefined : next));
    if (Array.isArray(at)) {
      if (next < 0) return { container: at, key: token };
      const index = indexIn(at, token);
      at = index === undefined ? undefined : at[index];
    } else if (isRecord(at)) {
      if (next < 0) return { container: at, key: token };
      at = ownMember(at, token);
    } else return undefined;
    slash = next;
  }
  return undefined;
}

function read({ container, key }: Place): unknown {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : null;
  return container[checkedIndex(container, key)];
}

function take(patch: Patching, { container, key }: Place): unknown {
  if (Array.isArray(container)) {
    const index = checkedIndex(container, key);
    shift(patch, container.length - index);
    return container.splice(index, 1)[0];
  }
  if (!Object.hasOwn(container, key)) throw new JsonPatchError(`Unable to remove nonexistent key: ${key}: ${missing}`);
  const value = container[key];
  delete container[key];
  return value;
}

function insert(patch: Patching, { container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) {
    setOwnMember(container, key, value);
    return;
  }
  if (key === "-") {
    container.push(value);
    return;
  }
  const index = within(`value was not a proper array index: '${key}'`, () => integer(key));
  const size = container.length + 1;
  if (index >= size || index < -size) throw new JsonPatchError(`Unable to access invalid index: ${index}: ${badIndex}`);
  const position = index < 0 ? index + size : index;
  shift(patch, container.length - position);
  container.splice(position, 0, value);
}

function shift(patch: Patching, items: number): void {
  patch.shiftedItems += items;
  if (patch.shiftedItems > maxShiftedItems)
    throw new JsonPatchError(`the patch moves more than ${maxShiftedItems} list items`);
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
