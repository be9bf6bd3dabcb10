import {
  asReconciler,
  controllerManagedBy,
  controllerOf,
  controllerReference,
  type Manager,
} from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { Shop } from "./shop.ts";

/** Creates three ConfigMaps, with names that the server generates. */
export function addDrawers(manager: Manager): void {
  // #region count
  const reconcile = asReconciler(Shop, async (shop, { client }) => {
    const { namespace, name, uid } = shop.metadata;
    // Includes the ConfigMaps that the last reconcile created.
    const found = await client.list(ConfigMap, { namespace });
    const drawers = found.filter((each) => controllerOf(each)?.uid === uid);
    if (drawers.length >= 3) return;
    const ownerReferences = [controllerReference(shop)];
    await client.create(ConfigMap, {
      metadata: { generateName: `${name}-`, namespace, ownerReferences },
    });
  });
  // #endregion count
  controllerManagedBy(manager)
    .for(Shop)
    .owns(ConfigMap)
    .needs(ConfigMap, ["create"])
    .complete(reconcile);
}

// #region caughtUp
/**
 * Writes outside of a reconcile, and waits until the cache has the object.
 * Returns false if this takes more than ten seconds.
 */
export async function open({ client }: Manager, key: string): Promise<boolean> {
  const stored = await client.patch(Shop, key, {
    metadata: { labels: { open: "yes" } },
  });
  return client.caughtUp(Shop, stored);
}
// #endregion caughtUp
