import { type Clock, type Random, systemRandom } from "@kubewright/clock";
import { dryRunStorage, everything, type Storage } from "@kubewright/storage";
import type { AdmissionChain } from "../admission/admission.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import type { ResourceScope } from "../endpoints/scope/resource-scope.ts";
import { RunningWatches } from "../endpoints/scope/running-watches.ts";
import type { ReadonlyObject, ServedResource } from "../registry/resource.ts";
import { Store } from "../registry/store.ts";
import type { AccessCheck } from "../registry/store-requests.ts";
import type { AllServedResources } from "./served-resources.ts";

/** The parts of the server that all endpoints need. */
export interface ServingContextParts {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Source of random UIDs, generated names and durations of watches. Default: the system's source. */
  readonly random?: Random | undefined;
  readonly bookmarkIntervalMs: number;
  /** True if lists and watches read the `shardSelector` parameter. Default false. */
  readonly shardedListAndWatch?: boolean | undefined;
  readonly served: AllServedResources;
  readonly admission: AdmissionChain;
  readonly authorize: Authorizer;
  /** Checks of additional permissions that writes require, keyed by `<resource>.<group>`. */
  readonly accessChecks: ReadonlyMap<string, AccessCheck>;
}

/**
 * State shared by all servers in a process, such as storage, admission and running watches. Creates the scope for each
 * resource's handlers.
 */
export class ServingContext {
  readonly watches = new RunningWatches();
  readonly clock: Clock;
  readonly storage: Storage;
  readonly served: AllServedResources;
  readonly #parts: ServingContextParts;
  readonly #dryRun: Storage;

  constructor(parts: ServingContextParts) {
    this.clock = parts.clock;
    this.storage = parts.storage;
    this.served = parts.served;
    this.#parts = parts;
    this.#dryRun = dryRunStorage(parts.storage);
  }

  scopeOf(resource: ServedResource, create?: ResourceScope["create"], read?: ResourceScope["read"]): ResourceScope {
    const { accessChecks, admission, authorize, bookmarkIntervalMs, shardedListAndWatch = false } = this.#parts;
    const { random = systemRandom } = this.#parts;
    const accessCheck = accessChecks.get(`${resource.resource}.${resource.group}`);
    return {
      resource,
      store: new Store(resource, this.storage, this.#dryRun, { clock: this.clock, random, checkAccess: accessCheck }),
      admission,
      authorize,
      clock: this.clock,
      random,
      watches: this.watches,
      bookmarkIntervalMs,
      shardedListAndWatch,
      objectsOf: (group, plural, namespace) => objectsOf(this.storage, group, plural, namespace),
      ...(create ? { create } : {}),
      ...(read ? { read } : {}),
      other: (group, version, plural) => {
        const found = this.served.find({ group, version, resource: plural });
        return found && this.scopeOf(found);
      },
    };
  }
}

/** Returns all objects of a resource, or all of its objects in one namespace. */
export async function objectsOf(
  storage: Storage,
  group: string,
  plural: string,
  namespace: string,
): Promise<readonly ReadonlyObject[]> {
  const prefix = `/${group || "core"}/${plural}/${namespace === "" ? "" : `${namespace}/`}`;
  return (await storage.getList(prefix, { predicate: everything })).items;
}
