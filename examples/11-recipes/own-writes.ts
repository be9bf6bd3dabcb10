import { asReconciler, controllerManagedBy, controllerReference, type Manager } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { Shop } from "./shop.ts";

/** Makes three of them, with names that the server chooses. */
export function addDrawers(manager: Manager): void {
  // #region count
  const reconcile = asReconciler(Shop, async (shop, { client }) => {
    const { namespace, name } = shop.metadata;
    const labels = { shop: name };
    const drawers = await client.list(ConfigMap, { namespace, labels }); // those of the last reconcile are among them
    if (drawers.length >= 3) return;
    const ownerReferences = [controllerReference(shop)];
    await client.create(ConfigMap, { metadata: { generateName: `${name}-`, namespace, labels, ownerReferences } });
  });
  // #endregion count
  controllerManagedBy(manager).for(Shop).owns(ConfigMap).needs(ConfigMap, ["create"]).complete(reconcile);
}

// #region caughtUp
/** Outside of a reconcile: writes, and waits until the cache has it. False: it does not within ten seconds. */
export async function open({ client }: Manager, key: string): Promise<boolean> {
  const stored = await client.patch(Shop, key, { metadata: { labels: { open: "yes" } } });
  return client.caughtUp(Shop, stored);
}
// #endregion caughtUp
