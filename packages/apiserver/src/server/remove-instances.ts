import { ignoreNotFound } from "@kubewright/apimachinery";
import type { ResourceScope } from "../endpoints/resource-scope.ts";
import { everything, type ServingContext, serverContext } from "./serving-context.ts";

/** Deletes every object of a resource and waits until finalizers have let all of them go, or the signal aborts. */
export async function removeInstances(
  { storage, clock }: ServingContext,
  { store, resource }: ResourceScope,
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const watch = storage.watch(resource.storagePrefix, {
    predicate: everything,
    sendInitialEvents: true,
    allowBookmarks: true,
    signal: AbortSignal.any([signal, done.signal]),
  });
  for await (const event of watch) {
    if (event.type !== "BOOKMARK" && event.type !== "DELETED" && !event.object.metadata.deletionTimestamp) {
      const { name, namespace = "" } = event.object.metadata;
      await store.delete(name, { dryRun: false }, serverContext(clock, namespace)).catch(ignoreNotFound);
    }
    if ((await storage.count(resource.storagePrefix)) === 0) break;
  }
  done.abort();
}
