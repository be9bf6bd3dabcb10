import type { Clock } from "@kubewright/clock";
import { AdmissionChain, type AdmissionPlugin } from "../admission/admission.ts";
import { defaultTolerationSeconds } from "../admission/default-toleration-seconds.ts";
import { namespaceLifecycle } from "../admission/namespace-lifecycle.ts";
import { priority } from "../admission/priority.ts";
import { serviceAddresses } from "../admission/service-addresses.ts";
import { storageObjectInUseProtection } from "../admission/storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "../admission/taint-nodes-by-condition.ts";
import type { ResourceScope } from "../endpoints/resource-scope.ts";
import { RunningWatches } from "../endpoints/running-watches.ts";
import type { ReadonlyObject, ServedResource } from "../registry/resource.ts";
import { Store } from "../registry/store.ts";
import type { WriteContext } from "../registry/store-requests.ts";
import { dryRunStorage } from "../storage/dry-run-storage.ts";
import type { Predicate, Storage } from "../storage/storage.ts";

export interface ServingContextParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly bookmarkIntervalMs: number;
  /** In-process plugins behind the built-in ones. */
  readonly admissionPlugins: readonly AdmissionPlugin[];
}

export const everything: Predicate = { isEmpty: true, matches: () => true };

/** What the servers of one process share: storage, admission, running watches. Makes the handlers' scope of a resource. */
export class ServingContext {
  readonly watches = new RunningWatches();
  readonly clock: Clock;
  readonly storage: Storage;
  readonly #admission: AdmissionChain;
  readonly #dryRun: Storage;
  readonly #bookmarkIntervalMs: number;

  constructor(parts: ServingContextParts) {
    this.clock = parts.clock;
    this.storage = parts.storage;
    this.#dryRun = dryRunStorage(parts.storage);
    this.#bookmarkIntervalMs = parts.bookmarkIntervalMs;
    this.#admission = new AdmissionChain([
      namespaceLifecycle((name) => this.storage.get(`/core/namespaces/${name}`, { ignoreNotFound: true })),
      taintNodesByCondition,
      priority(() => this.#objectsOf("scheduling.k8s.io", "priorityclasses", "")),
      defaultTolerationSeconds,
      storageObjectInUseProtection,
      ...parts.admissionPlugins,
      serviceAddresses(() => this.#objectsOf("", "services", "")),
    ]);
  }

  scopeOf(resource: ServedResource, create?: ResourceScope["create"]): ResourceScope {
    return {
      resource,
      store: new Store(resource, this.storage, this.#dryRun),
      admission: this.#admission,
      clock: this.clock,
      watches: this.watches,
      bookmarkIntervalMs: this.#bookmarkIntervalMs,
      objectsOf: (group, plural, namespace) => this.#objectsOf(group, plural, namespace),
      ...(create ? { create } : {}),
    };
  }

  async #objectsOf(group: string, plural: string, namespace: string): Promise<readonly ReadonlyObject[]> {
    const prefix = `/${group || "core"}/${plural}/${namespace === "" ? "" : `${namespace}/`}`;
    return (await this.storage.getList(prefix, { predicate: everything })).items;
  }
}

/** The server itself as the writer. */
export const serverContext = (clock: Clock, namespace: string): WriteContext => ({
  user: { name: "system:apiserver", groups: ["system:masters"] },
  nowMs: clock.now(),
  namespace,
  dryRun: false,
  warn: () => {},
});
