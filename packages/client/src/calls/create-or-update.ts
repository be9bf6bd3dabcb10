import {
  apiVersionOf,
  createMergePatch,
  type DeepReadonly,
  ignoreNotFound,
  type KeyLike,
  type Kind,
  type KubeObject,
  mutableCopy,
  type Stored,
  semanticEqual,
  splitKey,
} from "@kubewright/apimachinery";
import type { Creatable, PatchBody, StatusOf, Writable } from "../contract/objects.ts";
import type { CallOptions, Reader } from "../contract/reader.ts";
import type { ReadWriter } from "../contract/writer.ts";

/** Result of {@link createOrUpdate}. @see controller-runtime controllerutil OperationResult */
export type OperationResult = "created" | "updated" | "unchanged";

/**
 * Reads an object, calls `mutate` to set its desired state, and creates or updates the object unless it already has
 * that state. `mutate` may change anything except the name and namespace. It must be able to handle a new object, which
 * has only a type and metadata.
 *
 * Nothing is written if both states are semantically equal (see `semanticEqual`): fields that are `undefined`, empty
 * lists or empty maps count as absent, and different notations of the same quantity are equal.
 *
 * @throws {StatusError} `Conflict` or `AlreadyExists` after a concurrent write; reconcile again
 * @throws {Error} if `mutate` changed the name or the namespace
 * @see controller-runtime pkg/controller/controllerutil CreateOrUpdate
 */
export async function createOrUpdate<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  key: KeyLike,
  mutate: Mutate<NoInfer<T>>,
  options: CallOptions = {},
): Promise<Stored<DeepReadonly<T>>> {
  return (await createOrUpdateWithResult(client, kind, key, mutate, options)).object;
}

/** Creates or updates an object like {@link createOrUpdate}, and also returns the result. */
export async function createOrUpdateWithResult<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  key: KeyLike,
  mutate: Mutate<NoInfer<T>>,
  options: CallOptions = {},
): Promise<{ readonly object: Stored<DeepReadonly<T>>; readonly result: OperationResult }> {
  const { present, draft } = await drafted("createOrUpdate", { reader: client, kind, key }, mutate, options);
  if (!present) {
    const object = (await client.create(kind, draft as Creatable<T>, options)) as Stored<DeepReadonly<T>>;
    return { object, result: "created" };
  }
  if (semanticEqual(present, draft)) return { object: present, result: "unchanged" };
  const object = (await client.update(kind, draft as Writable<T>, options)) as Stored<DeepReadonly<T>>;
  return { object, result: isSameVersion(present, object) ? "unchanged" : "updated" };
}

/**
 * Reads an object, calls `mutate` to set its desired state, and creates the object or sends the differences as two
 * merge patches: one for the object and one for its status. Nothing is sent if both states are semantically equal (see
 * `createOrUpdate`). The status is not written when the object is created.
 *
 * The patches contain no resource version, so concurrent changes to the same fields are overwritten; concurrent changes
 * to other fields are kept.
 *
 * @throws {Error} if `mutate` changed the name or the namespace
 * @see controller-runtime pkg/controller/controllerutil CreateOrPatch
 */
export async function createOrPatch<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  key: KeyLike,
  mutate: Mutate<NoInfer<T>>,
  options: CallOptions = {},
): Promise<Stored<DeepReadonly<T>>> {
  return (await createOrPatchWithResult(client, kind, key, mutate, options)).object;
}

/**
 * Creates or patches an object like {@link createOrPatch}, and also returns the result. `updatedStatus` means that the
 * object and its status were updated; `updatedStatusOnly` means that only the status was updated.
 *
 * @see controller-runtime controllerutil OperationResult
 */
export async function createOrPatchWithResult<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  key: KeyLike,
  mutate: Mutate<NoInfer<T>>,
  options: CallOptions = {},
): Promise<{
  readonly object: Stored<DeepReadonly<T>>;
  readonly result: OperationResult | "updatedStatus" | "updatedStatusOnly";
}> {
  const { present, draft } = await drafted("createOrPatch", { reader: client, kind, key }, mutate, options);
  if (!present) {
    const object = (await client.create(kind, draft as Creatable<T>, options)) as Stored<DeepReadonly<T>>;
    return { object, result: "created" };
  }
  const { object: patch, status } = differences(present, draft);
  let object = present;
  if (patch) object = (await client.patch(kind, key, patch as PatchBody<T>, options)) as Stored<DeepReadonly<T>>;
  const isUpdated = !isSameVersion(present, object);
  if (!status) return { object, result: isUpdated ? "updated" : "unchanged" };
  const before = object;
  const patched = await client.status.patch(kind, key, status as PatchBody<StatusOf<T>>, options);
  object = patched as Stored<DeepReadonly<T>>;
  if (isSameVersion(before, object)) return { object, result: isUpdated ? "updated" : "unchanged" };
  return { object, result: isUpdated ? "updatedStatus" : "updatedStatusOnly" };
}

/** Returns the required patches for the object without its status, and for its status. */
function differences(present: object, draft: object): { object: object | undefined; status: object | undefined } {
  const [before, after] = [withoutStatus(present), withoutStatus(draft)];
  return {
    object: semanticEqual(before.rest, after.rest) ? undefined : createMergePatch(before.rest, after.rest),
    status: semanticEqual(before.status, after.status) ? undefined : createMergePatch(before.status, after.status),
  };
}

function withoutStatus(object: object): { rest: object; status: object } {
  const { status, ...rest }: { status?: object } = object;
  return { rest, status: status ?? {} };
}

/**
 * The object that is passed to `mutate`. All fields except type and metadata may be absent, so `draft.spec = { ... }`
 * and `draft.spec ??= { ... }` compile, but `draft.spec.replicas = 3` alone does not.
 */
export type Draft<T extends KubeObject> = Pick<T, "apiVersion" | "kind" | "metadata"> & {
  [K in Exclude<keyof T, "apiVersion" | "kind" | "metadata">]?: T[K] | undefined;
};

/** Sets an object's desired state in place. @see controller-runtime controllerutil MutateFn */
export type Mutate<T extends KubeObject> = (draft: Draft<T>) => void | Promise<void>;

/** An object's current state, if the object exists, and its desired state. */
interface Drafted<T extends KubeObject> {
  readonly present: Stored<DeepReadonly<T>> | undefined;
  readonly draft: Draft<T>;
}

/**
 * Reads an object and lets `mutate` set its desired state.
 *
 * @throws {Error} if `mutate` changed the name or the namespace
 */
async function drafted<T extends KubeObject>(
  what: string,
  { reader, kind, key }: { readonly reader: Reader; readonly kind: Kind<T>; readonly key: KeyLike },
  mutate: Mutate<NoInfer<T>>,
  options: CallOptions,
): Promise<Drafted<T>> {
  const present = await reader.get(kind, key, options).catch(ignoreNotFound);
  const draft = (present ? mutableCopy(present) : blank(kind, key)) as Draft<T>;
  await mutate(draft);
  const { namespace, name } = splitKey(key);
  if (draft.metadata.name !== name || (draft.metadata.namespace ?? namespace) !== namespace)
    throw new Error(`${what} ${kind.kind} ${typeof key === "string" ? key : name}: the name or namespace was changed`);
  return { present, draft };
}

/**
 * Reports whether a write had no effect, for example because the server dropped an unknown field or set a default. The server then keeps
 * the resource version.
 */
const isSameVersion = (before: DeepReadonly<KubeObject>, after: DeepReadonly<KubeObject>): boolean =>
  after.metadata.resourceVersion !== undefined && after.metadata.resourceVersion === before.metadata.resourceVersion;

function blank(kind: Kind, key: KeyLike): KubeObject {
  const { namespace, name } = splitKey(key);
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, ...(namespace ? { namespace } : {}) },
  };
}
