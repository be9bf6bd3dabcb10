import {
  type DeepReadonly,
  type KeyLike,
  type Kind,
  type KubeObject,
  type Stored,
  semanticEqual,
} from "@kubewright/apimachinery";
import type { CallOptions } from "../contract/call-options.ts";
import type { Creatable, Writable } from "../contract/target.ts";
import type { ReadWriter } from "../contract/writer.ts";
import { drafted, isSameVersion, type Mutate } from "./drafted.ts";

/** What {@link createOrUpdate} did. @see controller-runtime controllerutil OperationResult */
export type OperationResult = "created" | "updated" | "unchanged";

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
  const { present, draft } = await drafted("createOrUpdate", { reader: client, kind, key }, mutate, options);
  if (!present) {
    const object = (await client.create(kind, draft as Creatable<T>, options)) as Stored<DeepReadonly<T>>;
    return { object, result: "created" };
  }
  if (semanticEqual(present, draft)) return { object: present, result: "unchanged" };
  const object = (await client.update(kind, draft as Writable<T>, options)) as Stored<DeepReadonly<T>>;
  return { object, result: isSameVersion(present, object) ? "unchanged" : "updated" };
}
