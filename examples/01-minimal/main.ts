import {
  asReconciler,
  type ConnectionSettings,
  controllerManagedBy,
  createOrUpdate,
  defineKind,
  keyOf,
  Manager,
  setControllerReference,
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

/** Without a connection the cluster is found as kubectl finds it. */
export async function main(connection: ConnectionSettings | undefined, signal: AbortSignal): Promise<void> {
  const manager = new Manager({ connection, metrics: { bindAddress: "0" } });
  const reconcile = asReconciler(Site, async (site, { client }) => {
    const labels = { site: site.metadata.name };
    const deployment = await createOrUpdate(client, Deployment, keyOf(site), (draft) => {
      const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: site.spec.image }] } };
      draft.spec = { replicas: site.spec.replicas, selector: { matchLabels: labels }, template };
      setControllerReference(site, draft);
    });
    await client.status.patch(Site, site, { readyReplicas: deployment.status?.readyReplicas ?? 0 });
  });
  controllerManagedBy(manager).for(Site).owns(Deployment).complete(reconcile);
  await manager.run(signal);
}
