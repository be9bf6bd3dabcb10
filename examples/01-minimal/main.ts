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
  spec: Type.Object({ image: Type.String(), replicas: Type.Integer({ minimum: 0, default: 1 }) }),
  status: Type.Object({ readyReplicas: Type.Optional(Type.Integer()) }),
});

/** Runs the program until the signal aborts. Without a connection, it uses the same cluster as kubectl. */
export async function main(connection: ManagerOptions["connection"], signal: AbortSignal): Promise<void> {
  const manager = new Manager({ connection, fieldOwner: "site-controller", metrics: { bindAddress: "0" } });
  const reconcile = asReconciler(Site, async (site, { client }) => {
    const { name, namespace } = site.metadata;
    const metadata = { name, namespace, ownerReferences: [controllerReference(site)] };
    const labels = { site: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: site.spec.image }] } };
    const spec = { replicas: site.spec.replicas, selector: { matchLabels: labels }, template };
    const deployment = await client.apply(Deployment, { metadata, spec }, { force: true });
    await client.status.patch(Site, site, { readyReplicas: deployment.status?.readyReplicas ?? 0 });
  });
  controllerManagedBy(manager).for(Site).owns(Deployment).complete(reconcile);
  await manager.run(signal);
}
