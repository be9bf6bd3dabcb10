import type { Clock } from "@kubewright/clock";
import { AdmissionChain, type AdmissionPlugin } from "../admission/admission.ts";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from "../admission/certificate-plugins.ts";
import { defaultIngressClass } from "../admission/default-ingress-class.ts";
import { defaultTolerationSeconds } from "../admission/default-toleration-seconds.ts";
import { type LimitRange, limitRanger } from "../admission/limit-ranger.ts";
import { namespaceLifecycle } from "../admission/namespace-lifecycle.ts";
import { nodeRestriction } from "../admission/node-restriction.ts";
import { optionalPlugins } from "../admission/optional-plugins.ts";
import { type PluginSelection, selectPlugins } from "../admission/plugin-selection.ts";
import { nodeDeclaredFeatureValidator, podResizeValidator } from "../admission/pod-resize.ts";
import { podSecurity } from "../admission/pod-security/pod-security.ts";
import { podTopologyLabels } from "../admission/pod-topology-labels.ts";
import { priority } from "../admission/priority.ts";
import { resourceQuota } from "../admission/resource-quota.ts";
import { runtimeClass } from "../admission/runtime-class.ts";
import { serviceAccount } from "../admission/service-account.ts";
import { serviceAddresses } from "../admission/service-addresses.ts";
import type { ServiceRange } from "../admission/service-range.ts";
import { defaultStorageClass, persistentVolumeClaimResize } from "../admission/storage-class.ts";
import { storageObjectInUseProtection } from "../admission/storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "../admission/taint-nodes-by-condition.ts";
import { storedObjects } from "../authentication/object-lookup.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import { organizationsOfRequest } from "../certificates/certification-request.ts";
import { commonNameOfRequest } from "../certificates/request-common-name.ts";
import type { ResourceScope } from "../endpoints/resource-scope.ts";
import { RunningWatches } from "../endpoints/running-watches.ts";
import type { ReadonlyObject, ServedResource } from "../registry/resource.ts";
import { Store } from "../registry/store.ts";
import type { AccessCheck, WriteContext } from "../registry/store-requests.ts";
import { dryRunStorage } from "../storage/dry-run-storage.ts";
import type { Predicate, Storage } from "../storage/storage.ts";
import { claimAccess } from "./claim-access.ts";
import { DynamicAdmission } from "./dynamic-admission.ts";
import { paramAccess } from "./param-access.ts";
import { paramReader } from "./param-reader.ts";
import { quotaAccess } from "./quota-access.ts";
import { AllServedResources } from "./served-resources.ts";

export interface ServingContextParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly bookmarkIntervalMs: number;
  /** In-process plugins before the policies and webhooks among the built-in ones. */
  readonly admissionPlugins: readonly AdmissionPlugin[];
  /** Where Services get their addresses. */
  readonly serviceRange: ServiceRange;
  /** Which of the built-in plugins work. */
  readonly pluginSelection: PluginSelection;
  /** For plugins that ask whether the user may do more than the request itself says. */
  readonly authorize: Authorizer;
  /** Come after all other plugins: what they see is what is stored. */
  readonly lastPlugins: readonly AdmissionPlugin[];
}

export const everything: Predicate = { isEmpty: true, matches: () => true };

/** What the servers of one process share: storage, admission, running watches. Makes the handlers' scope of a resource. */
export class ServingContext {
  readonly watches = new RunningWatches();
  readonly served = new AllServedResources();
  /** Webhooks and policies; whoever owns the context runs it. */
  readonly dynamicAdmission: DynamicAdmission;
  readonly clock: Clock;
  readonly storage: Storage;
  readonly #admission: AdmissionChain;
  readonly #authorize: Authorizer;
  readonly #accessChecks: ReadonlyMap<string, AccessCheck>;
  readonly #dryRun: Storage;
  readonly #bookmarkIntervalMs: number;

  constructor(parts: ServingContextParts) {
    this.clock = parts.clock;
    this.storage = parts.storage;
    this.#authorize = parts.authorize;
    const byKey = (key: string) => this.storage.get(key, { ignoreNotFound: true });
    const params = paramReader(this.storage, this.served);
    this.#accessChecks = new Map([
      ...paramAccess(parts.authorize, params, (plural, name) =>
        byKey(`/admissionregistration.k8s.io/${plural}/${name}`),
      ),
      ...claimAccess(parts.authorize, (name) => byKey(`/core/namespaces/${name}`)),
    ]);
    this.#dryRun = dryRunStorage(parts.storage);
    this.#bookmarkIntervalMs = parts.bookmarkIntervalMs;
    this.dynamicAdmission = new DynamicAdmission({ ...parts, served: this.served });
    const stored = storedObjects(this.storage);
    // Built-in plugins, each under its upstream name, in any order: `selectPlugins` puts them into upstream's.
    const builtIn: readonly AdmissionPlugin[] = [
      namespaceLifecycle((name) => this.storage.get(`/core/namespaces/${name}`, { ignoreNotFound: true })),
      taintNodesByCondition,
      priority(() => this.#objectsOf("scheduling.k8s.io", "priorityclasses", "")),
      defaultTolerationSeconds,
      storageObjectInUseProtection,
      limitRanger(async (namespace) => (await this.#objectsOf("", "limitranges", namespace)) as readonly LimitRange[]),
      defaultIngressClass(() => this.#objectsOf("networking.k8s.io", "ingressclasses", "")),
      defaultStorageClass(() => this.#objectsOf("storage.k8s.io", "storageclasses", "")),
      persistentVolumeClaimResize(() => this.#objectsOf("storage.k8s.io", "storageclasses", "")),
      ...optionalPlugins((name) => this.storage.get(`/core/namespaces/${name}`, { ignoreNotFound: true })),
      podSecurity({
        namespace: (name) => this.storage.get(`/core/namespaces/${name}`, { ignoreNotFound: true }),
        pods: (namespace) => this.#objectsOf("", "pods", namespace),
      }),
      runtimeClass((name) => this.storage.get(`/node.k8s.io/runtimeclasses/${name}`, { ignoreNotFound: true })),
      serviceAccount((namespace, name) => stored("", "serviceaccounts", namespace, name)),
      nodeRestriction({ object: stored, authorize: parts.authorize, commonNameOfRequest }),
      podTopologyLabels((node) => stored("", "nodes", "", node)),
      nodeDeclaredFeatureValidator((node) => stored("", "nodes", "", node)),
      podResizeValidator((node) => stored("", "nodes", "", node)),
      certificateApproval(parts.authorize),
      certificateSigning(parts.authorize),
      certificateSubjectRestriction(organizationsOfRequest),
      resourceQuota(quotaAccess(this.storage), this.clock),
      ...this.dynamicAdmission.plugins,
    ];
    this.#admission = new AdmissionChain([
      ...selectPlugins(builtIn, parts.pluginSelection, parts.admissionPlugins),
      serviceAddresses(() => this.#objectsOf("", "services", ""), parts.serviceRange),
      ...parts.lastPlugins,
    ]);
  }

  scopeOf(resource: ServedResource, create?: ResourceScope["create"], read?: ResourceScope["read"]): ResourceScope {
    return {
      resource,
      store: new Store(
        resource,
        this.storage,
        this.#dryRun,
        this.#accessChecks.get(`${resource.resource}.${resource.group}`),
      ),
      admission: this.#admission,
      authorize: this.#authorize,
      clock: this.clock,
      watches: this.watches,
      bookmarkIntervalMs: this.#bookmarkIntervalMs,
      objectsOf: (group, plural, namespace) => this.#objectsOf(group, plural, namespace),
      ...(create ? { create } : {}),
      ...(read ? { read } : {}),
      other: (group, version, plural) => {
        const found = this.served.find({ group, version, resource: plural });
        return found && this.scopeOf(found);
      },
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
