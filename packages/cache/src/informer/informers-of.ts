import type { Kind, KubeObject, ObjectOf } from "@kubewright/apimachinery";
import type { KindGroups } from "@kubewright/client";
import type { ListWatchClient } from "../source/client-list-watch.ts";
import type { Lister } from "../store/lister.ts";
import { InformerFactory, type InformerFactoryOptions } from "./informer-factory.ts";
import type { SharedInformer } from "./shared-informer.ts";

/** The informer of a kind, and the lister that reads its store. `start` starts the informer only if either property was read before. */
export interface ResourceInformer<T extends KubeObject> {
  readonly informer: SharedInformer<T>;
  readonly lister: Lister<T>;
}

/**
 * The informers and listers of a program, by group, version and plural: `factory.samplecrd.v1.networks.lister`. Also contains the methods
 * that start them all.
 *
 * @see code-generator informer-gen SharedInformerFactory
 */
export type Informers<G extends KindGroups> = Pick<InformerFactory, "start" | "synced" | "stopped" | "run"> & {
  readonly [Group in keyof G]: {
    readonly [Version in keyof G[Group]]: {
      readonly [Resource in keyof G[Group][Version]]: ResourceInformer<ObjectOf<G[Group][Version][Resource]>>;
    };
  };
};

const ownNames = ["start", "synced", "stopped", "run"];

/**
 * Returns a function that makes the typed informer factory of a program from its kinds. Replaces the code that informer-gen generates in
 * Go.
 *
 * @throws {Error} if a group has the name of a method of the factory
 * @see code-generator informer-gen, lister-gen
 */
export function informersOf<const G extends KindGroups>(
  groups: G,
): (client: ListWatchClient, options?: InformerFactoryOptions) => Informers<G> {
  const taken = ownNames.find((name) => Object.hasOwn(groups, name));
  if (taken)
    throw new Error(
      `informersOf: a group must not be called ${JSON.stringify(taken)}: the factory has a method of that name`,
    );
  return (client, options) => {
    const factory = new InformerFactory(client, options);
    const informers = mapped(groups, (versions) =>
      mapped(versions, (kinds) => mapped(kinds, (kind) => resourceInformer(factory, kind))),
    );
    return {
      ...informers,
      start: (signal: AbortSignal) => factory.start(signal),
      synced: (signal?: AbortSignal) => factory.synced(signal),
      stopped: () => factory.stopped(),
      run: (signal: AbortSignal) => factory.run(signal),
    } as unknown as Informers<G>; // the mapped type describes each member
  };
}

const mapped = <V, W>(members: Readonly<Record<string, V>>, map: (member: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member)]));

const resourceInformer = <T extends KubeObject>(factory: InformerFactory, kind: Kind<T>): ResourceInformer<T> => ({
  get informer() {
    return factory.for(kind);
  },
  get lister() {
    return factory.for(kind).lister;
  },
});
