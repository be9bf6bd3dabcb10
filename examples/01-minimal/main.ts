import {
  asReconciler,
  controllerManagedBy,
  controllerReference,
  defineKind,
  Manager,
  type ManagerOptions,
} from "kubewright";
import { Deployment } from "kubewright/kinds";
import { Type } from "typebox";

export const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({
    image: Type.String(),
    replicas: Type.Integer({ minimum: 0, default: 1 }),
  }),
  status: Type.Object({ readyReplicas: Type.Optional(Type.Integer()) }),
});

/**
 * Runs the program until the signal aborts. Without a connection, it uses the
 * same cluster as kubectl.
 */
export async function main(
  connection: ManagerOptions["connection"],
  signal: AbortSignal,
): Promise<void> {
  const manager = new Manager({
    connection,
    fieldOwner: "site-controller",
    metrics: { bindAddress: "0" },
  });
  // #region controller
  const reconcile = asReconciler(Site, async (site, { client }) => {
    const { name, namespace } = site.metadata;
    const ownerReferences = [controllerReference(site)];
    const metadata = { name, namespace, ownerReferences };
    const labels = { site: name };
    const containers = [{ name: "web", image: site.spec.image }];
    const template = { metadata: { labels }, spec: { containers } };
    const selector = { matchLabels: labels };
    const spec = { replicas: site.spec.replicas, selector, template };
    const desired = { metadata, spec };
    const { status } = await client.apply(Deployment, desired, { force: true });
    const { readyReplicas = 0 } = status ?? {};
    await client.status.patch(Site, site, { readyReplicas });
  });
  controllerManagedBy(manager).for(Site).owns(Deployment).complete(reconcile);
  // #endregion controller
  await manager.run(signal);
}
