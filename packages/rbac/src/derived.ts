import type { DescribedResource, Permission } from "@kubewright/apimachinery";
import type { DescribedCertificates, DescribedController, ProgramDescription } from "./program-description.ts";

const reads = ["get", "list", "watch"];

/**
 * Returns the permissions that controllers and webhooks always need. Those for leader election and metrics are returned
 * by other functions.
 */
export function derivedPermissions(description: ProgramDescription): Permission[] {
  const { controllers, certificates, events, console, sharding } = description;
  return [
    ...controllers.flatMap((controller) => controllerPermissions(controller, description)),
    ...(certificates ? ofCertificates(certificates) : []),
    ...(events === undefined ? [] : [{ group: events, resource: "events", verbs: ["create", "patch"] }]),
    ...(console ? [shownEvents] : []),
    ...(sharding?.byNamespace ? [dividedNamespaces] : []),
  ];
}

/** Permission that the console needs to show the Events about an object. */
const shownEvents: Permission = { group: "", resource: "events", verbs: ["list"] };

/** Permission to divide the namespaces evenly into shards. */
const dividedNamespaces: Permission = { group: "", resource: "namespaces", verbs: ["list"], scope: "Cluster" };

/** Permissions that a program needs to authenticate and authorize readers of metrics and viewers of the console. */
export const reviews: readonly Permission[] = [
  { group: "authentication.k8s.io", resource: "tokenreviews", verbs: ["create"], scope: "Cluster" },
  { group: "authorization.k8s.io", resource: "subjectaccessreviews", verbs: ["create"], scope: "Cluster" },
];

/** Returns the permissions needed for leader election in the Lease's namespace. */
export function leasePermissions(id: string): Permission[] {
  const lease = { group: "coordination.k8s.io", resource: "leases" };
  return [
    { ...lease, verbs: ["create"] },
    { ...lease, verbs: ["get", "update"], resourceNames: [id] },
  ];
}

/**
 * Permissions needed for sharding in the namespace of its Leases. They are not limited to names, because the Leases'
 * names are not known in advance.
 */
export const shardPermissions: readonly Permission[] = [
  { group: "coordination.k8s.io", resource: "leases", verbs: ["create", "delete", "get", "list", "update"] },
];

/**
 * Returns a controller's permissions: to read all of its kinds, and to write the status and finalizers of its main
 * kind.
 */
export function controllerPermissions(
  controller: DescribedController,
  { kinds }: Pick<ProgramDescription, "kinds">,
): Permission[] {
  const { owns, watches } = controller;
  const main = controller.for;
  const isOwn = kinds.some(({ group, plural }) => group === main?.group && plural === main.plural);
  const { status, finalizers } = controller.writes ?? { status: isOwn, finalizers: isOwn };
  return [
    ...[...(main ? [main] : []), ...owns, ...watches].map(readsOf),
    ...(main && status ? [onPart(main, "status", ["get", "patch", "update"])] : []),
    // Some clusters require this permission to set owner references with `blockOwnerDeletion`.
    ...(main && finalizers ? [onPart(main, "finalizers", ["update"])] : []),
  ];
}

const readsOf = ({ group, plural, scope }: DescribedResource): Permission => ({
  group,
  resource: plural,
  verbs: reads,
  scope,
});

const onPart = ({ group, plural, scope }: DescribedResource, part: string, verbs: readonly string[]): Permission => ({
  group,
  resource: `${plural}/${part}`,
  verbs,
  scope,
});

function ofCertificates(certificates: DescribedCertificates): Permission[] {
  const { secret, service } = certificates;
  const injected = [
    ["admissionregistration.k8s.io", "mutatingwebhookconfigurations", certificates.mutatingWebhookConfigurations],
    ["admissionregistration.k8s.io", "validatingwebhookconfigurations", certificates.validatingWebhookConfigurations],
    ["apiextensions.k8s.io", "customresourcedefinitions", certificates.customResourceDefinitions],
  ] as const;
  const { namespace, name } = secret ?? {};
  // The leader checks the pods before it removes webhooks from earlier revisions.
  const pods: Permission[] = [
    { group: "", resource: "pods", verbs: ["get", "list"], namespace },
    { group: "apps", resource: "deployments", verbs: ["list"], namespace },
  ];
  return [
    ...(name && service ? pods : []),
    ...(name ? [{ group: "", resource: "secrets", verbs: ["get", "update"], resourceNames: [name], namespace }] : []),
    ...injected
      .filter(([, , names]) => names.length > 0)
      .map(([group, resource, resourceNames]): Permission => {
        return { group, resource, verbs: ["get", "patch"], resourceNames, scope: "Cluster" };
      }),
  ];
}
