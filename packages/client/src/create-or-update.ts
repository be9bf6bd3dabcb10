import { isDeepStrictEqual } from "node:util";
import {
  type DeepReadonly,
  ignoreNotFound,
  type KeyLike,
  type Kind,
  type KubeObject,
  mutableCopy,
  splitKey,
} from "@kubewright/apimachinery";
import type { CallOptions } from "./options.ts";
import type { Creatable, ReadWriter, Writable } from "./reader-writer.ts";

/**
 * Reads the object, lets `mutate` make it what it should be, and creates it, updates it, or does nothing if it is so already.
 * `mutate` may change anything but name and namespace, and must not mind running on an object with no fields yet.
 *
 * @throws {StatusError} `Conflict` if somebody else wrote in between: reconcile again
 * @see controller-runtime pkg/controller/controllerutil CreateOrUpdate
 */
export async function createOrUpdate<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  key: KeyLike,
  mutate: (draft: T) => void | Promise<void>,
  options: CallOptions = {},
): Promise<DeepReadonly<T>> {
  const present = await client.get(kind, key, options).catch(ignoreNotFound);
  const draft = (present ? mutableCopy(present) : blank(kind, key)) as T;
  await mutate(draft);
  const { namespace, name } = splitKey(key);
  if (draft.metadata.name !== name || (draft.metadata.namespace ?? namespace) !== namespace)
    throw new Error(
      `createOrUpdate ${kind.kind} ${typeof key === "string" ? key : name}: the name or namespace was changed`,
    );
  if (!present) return (await client.create(kind, draft as Creatable<T>, options)) as DeepReadonly<T>;
  if (isDeepStrictEqual(present, draft)) return present;
  return (await client.update(kind, draft as Writable<T>, options)) as DeepReadonly<T>;
}

function blank(kind: Kind, key: KeyLike): KubeObject {
  const { namespace, name } = splitKey(key);
  return {
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name, ...(namespace ? { namespace } : {}) },
  };
}
