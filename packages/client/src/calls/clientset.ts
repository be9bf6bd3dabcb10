import { type Kind, type KubeObject, type ObjectOf, type Stored, withIntegersOf } from "@kubewright/apimachinery";
import type { ApplyConfiguration, Creatable, PatchBody, Writable } from "../contract/objects.ts";
import type { GetOptions, KubeList, ListOptions } from "../contract/reader.ts";
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  PatchOptions,
  WriteOptions,
} from "../contract/writer.ts";
import type { WatchEvent } from "../watch/watch.ts";
import type { Client, WatchOptions } from "./client.ts";

/**
 * Kinds, keyed by group, version and resource, such as `{ samplecrd: { v1: { networks: Network } } }`. You choose the
 * names.
 */
export type KindGroups = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Kind>>>>>>;

/** Reads and writes the objects of one kind, in one namespace or in all namespaces. @see code-generator client-gen */
export interface ResourceClient<T extends KubeObject> {
  /** Returns the object with the given name. @throws {StatusError} `NotFound` if it does not exist */
  get(name: string, options?: GetOptions): Promise<Stored<T>>;
  list(options?: Omit<ListOptions, "namespace">): Promise<KubeList<Stored<T>>>;
  watch(options?: Omit<WatchOptions, "namespace">): AsyncGenerator<WatchEvent<Stored<T>>, void, undefined>;
  create(object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>>;
  update(object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  updateStatus(object: Writable<T>, options?: WriteOptions): Promise<Stored<T>>;
  patch(name: string, patch: PatchBody<NoInfer<T>>, options?: PatchOptions): Promise<Stored<T>>;
  apply(configuration: ApplyConfiguration<NoInfer<T>>, options?: ApplyOptions): Promise<Stored<T>>;
  delete(name: string, options?: DeleteOptions): Promise<void>;
  deleteCollection(options?: Omit<DeleteCollectionOptions, "namespace">): Promise<void>;
}

/**
 * A typed clientset, used like `clientset.samplecrd.v1.networks("default")`. Omit the namespace to use all namespaces
 * or the client's default namespace, or if the kind is cluster-scoped.
 */
export type Clientset<G extends KindGroups> = {
  readonly [Group in keyof G]: {
    readonly [Version in keyof G[Group]]: {
      readonly [Resource in keyof G[Group][Version]]: (
        namespace?: string,
      ) => ResourceClient<ObjectOf<G[Group][Version][Resource]>>;
    };
  };
};

/**
 * Returns a function that creates a program's typed clientset. Replaces the code that client-gen generates for Go.
 *
 * @throws {Error} if a member is not a kind; the message contains its path
 * @see code-generator client-gen, clientset.NewForConfig
 */
export function clientsetOf<const G extends KindGroups>(groups: G): (client: Client) => Clientset<G> {
  for (const [path, kind] of kindPaths(groups)) {
    if (typeof kind?.kind !== "string" || typeof kind.version !== "string")
      throw new Error(`clientsetOf: ${path} is not a kind`);
  }
  return (client) =>
    mapped(groups, (versions) =>
      mapped(versions, (kinds) =>
        mapped(kinds, (kind) => (namespace?: string) => resourceClient(client, kind, namespace)),
      ),
    ) as Clientset<G>; // the mapped type describes each member
}

/** Yields each kind with its path. */
function* kindPaths(groups: KindGroups): Generator<readonly [string, Kind | undefined]> {
  for (const [group, versions] of Object.entries(groups))
    for (const [version, kinds] of Object.entries(versions))
      for (const [resource, kind] of Object.entries(kinds)) yield [`${group}.${version}.${resource}`, kind];
}

const mapped = <V, W>(members: Readonly<Record<string, V>>, map: (member: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member)]));

function resourceClient<T extends KubeObject>(client: Client, kind: Kind<T>, namespace?: string): ResourceClient<T> {
  const at = (name: string) => (namespace === undefined ? { name } : { namespace, name });
  const within = <O extends Writable<T> | Creatable<T> | ApplyConfiguration<T>>(verb: string, object: O): O =>
    namespace === undefined ? object : inNamespace(kind, verb, object, namespace);
  return {
    get: (name, options) => client.get(kind, at(name), options),
    list: (options) => client.list(kind, { ...options, namespace }),
    watch: (options) => client.watch(kind, { ...options, namespace }),
    create: async (object, options) => client.create(kind, within("create", object), options),
    update: async (object, options) => client.update(kind, within("update", object), options),
    updateStatus: async (object, options) => client.status.update(kind, within("update status of", object), options),
    patch: (name, patch, options) => client.patch(kind, at(name), patch, options),
    apply: async (configuration, options) => client.apply(kind, within("apply", configuration), options),
    delete: (name, options) => client.delete(kind, at(name), options),
    deleteCollection: (options) => client.deleteCollection(kind, { ...options, namespace }),
  };
}

/** Sets the call's namespace on an object that has none. */
function inNamespace<O extends object>(kind: Kind, verb: string, object: O, namespace: string): O {
  const { metadata } = object as { readonly metadata: { readonly name?: string; readonly namespace?: string } };
  const own = metadata.namespace || namespace;
  if (own !== namespace)
    throw new Error(
      `${verb} ${kind.kind} ${own}/${metadata.name ?? ""}: the object's namespace differs from the call's namespace, ${namespace}`,
    );
  return withIntegersOf(object, { ...object, metadata: { ...metadata, namespace } });
}
