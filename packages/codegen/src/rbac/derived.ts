import type {
  DescribedCertificates,
  DescribedController,
  DescribedResource,
  Permission,
  ProgramDescription,
} from "../description/program-description.ts";

const reads = ["get", "list", "watch"];

/** What the program's controllers and webhooks need, whatever their code does. Of the election and the metrics see below. */
export function derivedPermissions(description: ProgramDescription): Permission[] {
  const { controllers, certificates, events, console } = description;
  return [
    ...controllers.flatMap((controller) => controllerPermissions(controller, description)),
    ...(certificates ? ofCertificates(certificates) : []),
    ...(events === undefined ? [] : [{ group: events, resource: "events", verbs: ["create", "patch"] }]),
    ...(console ? [shownEvents] : []),
  ];
}

/** Of one object, on the console. */
const shownEvents: Permission = { group: "", resource: "events", verbs: ["list"] };

/** By which readers of the metrics, and of the console, are known and let in. */
export const reviews: readonly Permission[] = [
  { group: "authentication.k8s.io", resource: "tokenreviews", verbs: ["create"], scope: "Cluster" },
  { group: "authorization.k8s.io", resource: "subjectaccessreviews", verbs: ["create"], scope: "Cluster" },
];

/** What the elector needs, in the lease's own namespace. */
export function leasePermissions(id: string): Permission[] {
  const lease = { group: "coordination.k8s.io", resource: "leases" };
  return [
    { ...lease, verbs: ["create"] },
    { ...lease, verbs: ["get", "update"], resourceNames: [id] },
  ];
}

/** What a controller needs for what it is about: reads of all of it, the status and finalizers of its own kind. */
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
    // Without it an owner reference that blocks deletion is refused where that is enforced.
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
  // The leader removes webhooks of earlier revisions once no pod of these is left.
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
