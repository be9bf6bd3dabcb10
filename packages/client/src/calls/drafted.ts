import {
  apiVersionOf,
  type DeepReadonly,
  ignoreNotFound,
  type KeyLike,
  type Kind,
  type KubeObject,
  mutableCopy,
  type Stored,
  splitKey,
} from "@kubewright/apimachinery";
import type { CallOptions, Reader } from "../contract/reader.ts";

/**
 * An object while `mutate` sets its desired state. It may consist only of type and metadata, so any other field may be absent:
 * `draft.spec = { ... }` and `draft.spec ??= { ... }` compile, `draft.spec.replicas = 3` alone does not.
 */
export type Draft<T extends KubeObject> = Pick<T, "apiVersion" | "kind" | "metadata"> & {
  [K in Exclude<keyof T, "apiVersion" | "kind" | "metadata">]?: T[K] | undefined;
};

/** Sets the desired state of an object, in place. @see controller-runtime controllerutil MutateFn */
export type Mutate<T extends KubeObject> = (draft: Draft<T>) => void | Promise<void>;

/** An object in its current state, if it exists, and in its desired state. */
export interface Drafted<T extends KubeObject> {
  readonly present: Stored<DeepReadonly<T>> | undefined;
  readonly draft: Draft<T>;
}

/**
 * Reads an object and lets `mutate` set the desired state.
 *
 * @throws {Error} if `mutate` changed the name or the namespace
 */
export async function drafted<T extends KubeObject>(
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

/** The server keeps the version if a write has no effect, since it drops unknown fields and fills in absent ones. */
export const isSameVersion = (before: DeepReadonly<KubeObject>, after: DeepReadonly<KubeObject>): boolean =>
  after.metadata.resourceVersion !== undefined && after.metadata.resourceVersion === before.metadata.resourceVersion;

function blank(kind: Kind, key: KeyLike): KubeObject {
  const { namespace, name } = splitKey(key);
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, ...(namespace ? { namespace } : {}) },
  };
}
