import type { ServedResources } from "../admission/equivalent-resources.ts";
import type { ResourceSet } from "../endpoints/scope/resource-set.ts";
import type { ServedResource } from "../registry/resource.ts";

/** All resources of all servers in a process. Each server adds its set of resources when it is created. */
export class AllServedResources implements ServedResources {
  readonly #sets: ResourceSet[] = [];

  add(set: ResourceSet): void {
    this.#sets.push(set);
  }

  find({ group, version, resource }: Parameters<ServedResources["find"]>[0]): ServedResource | undefined {
    for (const set of this.#sets) {
      const scope = set.find(group, version, resource);
      if (scope) return scope.resource;
    }
    return undefined;
  }

  sharing(storagePrefix: string): readonly ServedResource[] {
    return this.all().filter((resource) => resource.storagePrefix === storagePrefix);
  }

  all(): ServedResource[] {
    return this.#sets.flatMap((set) => [...set.scopes()].map(({ resource }) => resource));
  }
}
