import { type DeepReadonly, ignoreNotFound, isMethodNotSupported, type Kind } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Namespace } from "@kubewright/client/kinds";
import type { Reconciler } from "@kubewright/controller";
import { deletableKinds } from "../discovery/deletable-kinds.ts";

/** How long to wait before looking again whether a namespace is empty. */
const lookAgainMs = 250;

/**
 * Empties a namespace that is being deleted, then lets it go.
 *
 * @param live reads and writes the API server: a cache would show what is gone already
 * @see kubernetes pkg/controller/namespace
 */
export function namespaceReconciler(live: Client): Reconciler {
  return async (key) => {
    const namespace = await live.get(Namespace, key).catch(ignoreNotFound);
    if (namespace?.metadata.deletionTimestamp === undefined || !namespace.spec?.finalizers?.includes("kubernetes"))
      return;
    const kinds = (await deletableKinds(live)).filter(({ scope }) => scope === "Namespaced");
    const left = await Promise.all(kinds.map((kind) => empty(live, kind, key)));
    if (left.some((count) => count > 0)) return { requeueAfterMs: lookAgainMs };
    await finalize(live, namespace);
    return;
  };
}

/** Deletes everything of a kind in a namespace; returns how much is still there. */
async function empty(live: Client, kind: Kind, namespace: string): Promise<number> {
  const before = await live.list(kind, { namespace }).catch(ignoreGoneKind);
  if (!before?.length) return 0;
  await live.deleteCollection(kind, { namespace, propagationPolicy: "Background" }).catch(async (error: unknown) => {
    if (!isMethodNotSupported(error)) return ignoreNotFound(error);
    for (const object of before) await live.delete(kind, object).catch(ignoreNotFound);
    return undefined;
  });
  return (await live.list(kind, { namespace }).catch(ignoreGoneKind))?.length ?? 0;
}

/** A kind that is listed and cannot be read any more (its definition was deleted) has nothing to empty. */
function ignoreGoneKind(error: unknown): undefined {
  return isMethodNotSupported(error) ? undefined : ignoreNotFound(error);
}

async function finalize(live: Client, namespace: DeepReadonly<Namespace>): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((each) => each !== "kubernetes");
  await live
    .subResource("finalize")
    .update(Namespace, namespace.metadata.name, { ...namespace, spec: { ...namespace.spec, finalizers } })
    .catch(ignoreNotFound);
}
