import {
  asReconciler,
  type BuilderOptions,
  controllerManagedBy,
  controllerReference,
  type DeepReadonly,
  defineKind,
  type Manager,
  type ObjectOf,
  type Reader,
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
  // Otherwise, the API server derives the policy from the first image.
  const containers = [{ name: "web", image: site.spec.image, imagePullPolicy: "Always" }];
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
  (reconcile: Reconcile, options: BuilderOptions = {}) =>
  (manager: Manager): void => {
    controllerManagedBy(manager)
      .for(Site)
      .owns(Deployment)
      .owns(ConfigMap)
      .owns(Secret)
      .needs(Deployment, ["create", "patch"])
      .needs(Site, ["update"])
      .withOptions(options)
      .complete(asReconciler(Site, (site, context) => reconcile(site, context, manager)));
  };

/** Returns the settings of a Site, which never change. */
export const settingsOf = (site: Site) => ({
  metadata: {
    namespace: site.metadata.namespace ?? "",
    name: `${site.metadata.name}-settings`,
    labels: { site: site.metadata.name },
    ownerReferences: [controllerReference(site)],
  },
  data: { mode: "usual" },
});

/** Returns the settings of a Site without an owner reference, so that nobody else deletes them. */
export const looseSettingsOf = (site: Site) => {
  const { metadata, data } = settingsOf(site);
  return { metadata: { ...metadata, ownerReferences: [] }, data };
};

const recordOf = ({ metadata: { namespace, name }, spec }: Site) => ({
  metadata: { namespace: namespace ?? "", labels: { site: name } },
  data: { image: spec.image },
});

/** Creates a ConfigMap that records the image of a Site, and whose name the server generates. */
export const createRecord = (site: Site, { client }: ReconcileContext) => {
  const { metadata, data } = recordOf(site);
  const ownerReferences = [controllerReference(site)];
  return client.create(ConfigMap, {
    metadata: { ...metadata, generateName: `${site.metadata.name}-`, ownerReferences },
    data,
  });
};

/** Applies the ConfigMap of {@link createRecord}, by its name. */
export const applyRecord = (site: Site, { client }: ReconcileContext, name: string) => {
  const { metadata, data } = recordOf(site);
  const ownerReferences = [controllerReference(site)];
  return client.apply(ConfigMap, { metadata: { ...metadata, name, ownerReferences }, data }, { force: true });
};

/** Returns the ConfigMap that a Site controls, whatever its name is. */
export async function ownRecord({ metadata: { namespace, uid } }: Site, reader: Reader) {
  const all = await reader.list(ConfigMap, { namespace });
  return all.find(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
}

/** Identity of a Site and its spec. */
export const versionOf = ({ metadata: { uid, generation } }: Site): string => `${uid} ${generation}`;
