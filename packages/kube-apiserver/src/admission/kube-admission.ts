import { AdmissionChain, type AdmissionPlugin, namespaceLifecycle } from "@kubewright/apiserver/admission";
import { storedObjects } from "@kubewright/apiserver/authentication";
import type { Authorizer } from "@kubewright/apiserver/authorization";
import { objectsOf } from "@kubewright/apiserver/server";
import { commonNameOfRequest, organizationsOfRequest } from "@kubewright/certificates";
import type { Clock, Random } from "@kubewright/clock";
import type { Storage, StoredObject } from "@kubewright/storage";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from "./certificate-plugins.ts";
import { defaultIngressClass } from "./defaults/default-ingress-class.ts";
import { defaultTolerationSeconds } from "./defaults/default-toleration-seconds.ts";
import { priority } from "./defaults/priority.ts";
import { runtimeClass } from "./defaults/runtime-class.ts";
import { defaultStorageClass, persistentVolumeClaimResize } from "./defaults/storage-class.ts";
import { type LimitRange, limitRanger } from "./limits/limit-ranger.ts";
import { quotaAccess } from "./limits/quota-access.ts";
import { resourceQuota } from "./limits/resource-quota.ts";
import { nodeRestriction } from "./nodes/node-restriction.ts";
import { podTopologyLabels } from "./nodes/pod-topology-labels.ts";
import { taintNodesByCondition } from "./nodes/taint-nodes-by-condition.ts";
import { optionalPlugins } from "./optional-plugins.ts";
import { type PluginSelection, selectPlugins } from "./plugin-selection.ts";
import { nodeDeclaredFeatureValidator, podResizeValidator } from "./pod-resize.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { serviceAccount } from "./service-account.ts";
import { serviceAddresses } from "./services/service-addresses.ts";
import type { ServiceRange } from "./services/service-range.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";

export interface KubeAdmissionParts {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Source of generated names, addresses and ports. */
  readonly random: Random;
  /** In-process plugins that run before the policies and webhooks. */
  readonly admissionPlugins: readonly AdmissionPlugin[];
  /** Plugins that run the policies and webhooks. */
  readonly dynamicPlugins: readonly AdmissionPlugin[];
  /** Address range for Services. */
  readonly serviceRange: ServiceRange;
  /** Selection of the built-in plugins that are active. */
  readonly pluginSelection: PluginSelection;
  /** Authorizer for plugins that check whether the user has further permissions. */
  readonly authorize: Authorizer;
  /** Plugins that run after all others and receive the object as it will be stored. */
  readonly lastPlugins: readonly AdmissionPlugin[];
}

/**
 * Returns kube-apiserver's plugins in the order in which they run.
 *
 * @see kubernetes pkg/kubeapiserver/options AllOrderedPlugins
 */
export function kubeAdmission(parts: KubeAdmissionParts): AdmissionChain {
  const { authorize, clock, random, storage } = parts;
  const stored = storedObjects(storage);
  const objects = (group: string, plural: string, namespace: string) => objectsOf(storage, group, plural, namespace);
  const namespaces = (name: string): Promise<StoredObject | undefined> =>
    storage.get(`/core/namespaces/${name}`, { ignoreNotFound: true });
  // Plugins with their upstream names, in any order because `selectPlugins` sorts them.
  const builtIn: readonly AdmissionPlugin[] = [
    namespaceLifecycle(namespaces),
    taintNodesByCondition,
    priority(() => objects("scheduling.k8s.io", "priorityclasses", "")),
    defaultTolerationSeconds,
    storageObjectInUseProtection,
    limitRanger(async (namespace) => (await objects("", "limitranges", namespace)) as readonly LimitRange[]),
    defaultIngressClass(() => objects("networking.k8s.io", "ingressclasses", "")),
    defaultStorageClass(() => objects("storage.k8s.io", "storageclasses", "")),
    persistentVolumeClaimResize(() => objects("storage.k8s.io", "storageclasses", "")),
    ...optionalPlugins(namespaces),
    podSecurity({
      namespace: namespaces,
      pods: (namespace) => objects("", "pods", namespace),
    }),
    runtimeClass((name) => storage.get(`/node.k8s.io/runtimeclasses/${name}`, { ignoreNotFound: true })),
    serviceAccount({
      find: (namespace, name) => stored("", "serviceaccounts", namespace, name),
      clock,
      random,
    }),
    nodeRestriction({ object: stored, authorize, commonNameOfRequest }),
    podTopologyLabels((node) => stored("", "nodes", "", node)),
    nodeDeclaredFeatureValidator((node) => stored("", "nodes", "", node)),
    podResizeValidator((node) => stored("", "nodes", "", node)),
    certificateApproval(authorize),
    certificateSigning(authorize),
    clusterTrustBundleAttest(authorize),
    certificateSubjectRestriction(organizationsOfRequest),
    resourceQuota(quotaAccess(storage), clock),
    ...parts.dynamicPlugins,
  ];
  return new AdmissionChain([
    ...selectPlugins(builtIn, parts.pluginSelection, parts.admissionPlugins),
    serviceAddresses(() => objects("", "services", ""), parts.serviceRange, random),
    ...parts.lastPlugins,
  ]);
}
