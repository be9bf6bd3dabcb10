import { ignoreNotFound } from "@kubewright/apimachinery";
import type { ResourceScope } from "@kubewright/apiserver/endpoints";
import type { ServingContext } from "@kubewright/apiserver/server";
import { serverContext } from "@kubewright/apiserver/server";
import { everything } from "@kubewright/storage";

/**
 * Deletes all objects of a resource, and waits until the last object's finalizers have been removed or the signal
 * aborts. A watch that ends early (because its reader was slow or its position expired) is restarted; otherwise,
 * remaining objects could reappear under a later CRD.
 */
export async function removeInstances(
  context: ServingContext,
  { store, resource }: ResourceScope,
  signal: AbortSignal,
): Promise<void> {
  const { storage, clock } = context;
  const { storagePrefix } = resource;
  while (!signal.aborted) {
    const watch = storage.watch(storagePrefix, {
      predicate: everything,
      sendInitialEvents: true,
      allowBookmarks: true,
      signal,
    });
    for await (const event of watch) {
      if (event.type !== "BOOKMARK" && event.type !== "DELETED" && !event.object.metadata.deletionTimestamp) {
        const { name, namespace = "" } = event.object.metadata;
        await store.delete(name, { dryRun: false }, serverContext(clock, namespace)).catch(ignoreNotFound);
      }
      if ((await storage.count(storagePrefix)) === 0) return;
    }
  }
}
