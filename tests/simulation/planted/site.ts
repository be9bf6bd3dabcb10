import {
  asReconciler,
  controllerManagedBy,
  controllerReference,
  type DeepReadonly,
  defineKind,
  type Manager,
  type ObjectOf,
  type ReconcileContext,
  type Reconciler,
  type Stored,
} from "kubewright";
import { ConfigMap, Deployment, Secret } from "kubewright/kinds";
import { Type } from "typebox";

/** The kind of the first example, with fields in the status for what the planted bugs record there. */
export const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({
    image: Type.String({ minLength: 1 }),
    replicas: Type.Integer({ minimum: 0, maximum: 9, default: 1 }),
  }),
  status: Type.Object({
    readyReplicas: Type.Optional(Type.Integer()),
    deployment: Type.Optional(Type.String()),
    phase: Type.Optional(Type.String()),
    count: Type.Optional(Type.Integer()),
    time: Type.Optional(Type.String()),
  }),
});
export type Site = Stored<DeepReadonly<ObjectOf<typeof Site>>>;

/** Returns the Deployment that a Site needs. */
export function deploymentOf(site: Site) {
  const { name, namespace } = site.metadata;
  const labels = { site: name };
  const containers = [{ name: "web", image: site.spec.image }];
  return {
    metadata: { name, namespace, labels, ownerReferences: [controllerReference(site)] },
    spec: {
      replicas: site.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

/** Applies the Deployment of a Site. @param name name of the Deployment, if it is not that of the Site */
export function applyDeployment(site: Site, { client }: ReconcileContext, name = site.metadata.name) {
  const { metadata, spec } = deploymentOf(site);
  return client.apply(Deployment, { metadata: { ...metadata, name }, spec }, { force: true });
}

/** Applies the Deployment of a Site and reports its pods, without a mistake. */
export async function reconcileSite(site: Site, context: ReconcileContext): Promise<void> {
  const { status } = await applyDeployment(site, context);
  await context.client.status.patch(Site, site, { readyReplicas: status?.readyReplicas ?? 0 });
}

type Reconcile = (site: Site, context: ReconcileContext, manager: Manager) => ReturnType<Reconciler>;

/** Adds a controller for Sites and everything that they own. */
export const siteController =
  (reconcile: Reconcile) =>
  (manager: Manager): void => {
    controllerManagedBy(manager)
      .for(Site)
      .owns(Deployment)
      .owns(ConfigMap)
      .owns(Secret)
      .needs(Deployment, ["create", "patch"])
      .complete(asReconciler(Site, (site, context) => reconcile(site, context, manager)));
  };
