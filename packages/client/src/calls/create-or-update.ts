import {
  apiVersionOf,
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
import type { CallOptions } from "../contract/call-options.ts";
import type { Creatable, Writable } from "../contract/target.ts";
import type { ReadWriter } from "../contract/writer.ts";

/**
 * An object on its way to what it should be. It may be no more than type and metadata yet, so any other field may be absent:
 * `draft.spec = { ... }` and `draft.spec ??= { ... }` compile, `draft.spec.replicas = 3` alone does not.
 */
export type Draft<T extends KubeObject> = Pick<T, "apiVersion" | "kind" | "metadata"> & {
  [K in Exclude<keyof T, "apiVersion" | "kind" | "metadata">]?: T[K] | undefined;
};

/** What {@link createOrUpdate} did. @see controller-runtime controllerutil OperationResult */
export type OperationResult = "created" | "updated" | "unchanged";

/** Makes an object what it should be. @see controller-runtime controllerutil MutateFn */
export type Mutate<T extends KubeObject> = (draft: Draft<T>) => void | Promise<void>;

/**
 * Reads the object, lets `mutate` make it what it should be, and creates it, updates it, or leaves it if it is so already. `mutate`
 * may change anything but name and namespace, and must bear an object with no fields yet.
 *
 * Nothing is written where the objects say the same: `undefined`, an empty list and an empty map are as good as absent, and a
 * quantity may be written as one likes (see `semanticEqual`).
 *
 * @throws {StatusError} `Conflict` or `AlreadyExists` if somebody else wrote in between: reconcile again
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

/** {@link createOrUpdate}, answering what was done beside the object. */
export async function createOrUpdateWithResult<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  key: KeyLike,
  mutate: Mutate<NoInfer<T>>,
  options: CallOptions = {},
): Promise<{ readonly object: Stored<DeepReadonly<T>>; readonly result: OperationResult }> {
  const present = await client.get(kind, key, options).catch(ignoreNotFound);
  const draft = (present ? mutableCopy(present) : blank(kind, key)) as Draft<T>;
  await mutate(draft);
  const { namespace, name } = splitKey(key);
  if (draft.metadata.name !== name || (draft.metadata.namespace ?? namespace) !== namespace)
    throw new Error(
      `createOrUpdate ${kind.kind} ${typeof key === "string" ? key : name}: the name or namespace was changed`,
    );
  if (!present) {
    const object = (await client.create(kind, draft as Creatable<T>, options)) as Stored<DeepReadonly<T>>;
    return { object, result: "created" };
  }
  if (semanticEqual(present, draft)) return { object: present, result: "unchanged" };
  const object = (await client.update(kind, draft as Writable<T>, options)) as Stored<DeepReadonly<T>>;
  return { object, result: isSameVersion(present, object) ? "unchanged" : "updated" };
}

/** The server keeps the version where an update comes to nothing, for it drops what it does not know and fills in what is absent. */
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
