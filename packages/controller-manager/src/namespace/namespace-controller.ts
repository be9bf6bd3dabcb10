import { type DeepReadonly, ignoreNotFound, isConflict } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Namespace } from "@kubewright/client/kinds";
import { rfc3339 } from "@kubewright/clock";
import { funcSource, type Reconciler } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { namespaceConditions } from "./namespace-conditions.ts";
import { emptyNamespace } from "./namespace-content.ts";

/** Initial delay between checks of a terminating namespace. The delay grows, because most finalizers are removed quickly. */
const shortestPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * Deletes the content of terminating namespaces, reports in their conditions which objects block the deletion, and
 * finally removes the namespaces.
 *
 * @see kubernetes pkg/controller/namespace
 */
export const addNamespaceController: AddController = ({ controller, manager, monitor, clock }) => {
  const terminating = new Map<string, number>();
  controller("namespace-controller", 10)
    .for(Namespace)
    .watchesRawSource(
      funcSource(({ queue }) =>
        monitor.add({
          forget(_, { metadata }) {
            if (metadata.namespace !== undefined && terminating.has(metadata.namespace)) queue.add(metadata.namespace);
          },
        }),
      ),
    )
    .complete(namespaceReconciler(manager.apiReader, terminating, () => rfc3339(clock.now())));
};

/**
 * Returns the reconciler of the namespace controller.
 *
 * @param live client that reads from the API server, because a cache may still contain deleted objects
 *
 * @param terminating namespaces that are not empty yet, with the delay before the next check of each
 */
function namespaceReconciler(live: Client, terminating: Map<string, number>, now: () => string): Reconciler {
  return async (key, { client }) => {
    const cached = await client.get(Namespace, key).catch(ignoreNotFound);
    if (cached && cached.metadata.deletionTimestamp === undefined) return undefined;
    const namespace = await live.get(Namespace, key).catch(ignoreNotFound);
    if (namespace?.metadata.deletionTimestamp === undefined || !namespace.spec?.finalizers?.length) {
      terminating.delete(key);
      return undefined;
    }
    if (!terminating.has(key)) terminating.set(key, shortestPauseMs);
    const result = await emptyNamespace(live, key);
    const conditions = namespaceConditions(namespace.status?.conditions, result, now());
    if (result.isEmpty) {
      await finalize(live, namespace);
      terminating.delete(key);
      return undefined;
    }
    if (conditions) {
      const status = { ...namespace.status, phase: "Terminating", conditions };
      await live.status.update(Namespace, { ...namespace, status } as DeepReadonly<Namespace>).catch(ignoreChanged);
    }
    const requeueAfterMs = terminating.get(key) ?? shortestPauseMs;
    terminating.set(key, Math.min(requeueAfterMs * 2, longestPauseMs));
    return { requeueAfterMs };
  };
}

/**
 * Ignores the errors that a namespace was changed or deleted in the meantime, because it is checked again anyway. Rethrows all other
 * errors.
 */
function ignoreChanged(error: unknown): undefined {
  return isConflict(error) ? undefined : ignoreNotFound(error);
}

async function finalize(live: Client, namespace: DeepReadonly<Namespace>): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((each) => each !== "kubernetes");
  await live
    .subResource("finalize")
    .update(Namespace, namespace.metadata.name, { ...namespace, spec: { ...namespace.spec, finalizers } })
    .catch(ignoreNotFound);
}
