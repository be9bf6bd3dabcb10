import {
  type DeepReadonly,
  type KeyLike,
  type Kind,
  type KubeObject,
  type Stored,
  semanticEqual,
} from "@kubewright/apimachinery";
import type { Creatable, Writable } from "../contract/objects.ts";
import type { CallOptions } from "../contract/reader.ts";
import type { ReadWriter } from "../contract/writer.ts";
import { drafted, isSameVersion, type Mutate } from "./drafted.ts";

/** The result of {@link createOrUpdate}. @see controller-runtime controllerutil OperationResult */
export type OperationResult = "created" | "updated" | "unchanged";

/**
 * Reads the object, lets `mutate` set the desired state, and creates or updates the object, unless it already has that state. `mutate` may
 * change anything but name and namespace, and must handle an object that has no fields yet.
 *
 * Nothing is written if the states are semantically equal: `undefined`, an empty list and an empty map equal an absent field, and
 * notations of the same quantity are equal (see `semanticEqual`).
 *
 * @throws {StatusError} `Conflict` or `AlreadyExists` after a concurrent write: reconcile again
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

/** Like {@link createOrUpdate}, but returns the result in addition to the object. */
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
