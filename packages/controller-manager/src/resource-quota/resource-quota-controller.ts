import {
  type DeepReadonly,
  ignoreNotFound,
  isConflict,
  jsonEqual,
  type Kind,
  type KubeObject,
  keyOf,
  mutableCopy,
} from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { ResourceQuota } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { funcSource, type Reconciler } from "@kubewright/controller";
import {
  calculateUsage,
  equalResources,
  evaluatorOf,
  formatResourceList,
  maskResources,
  parseResourceList,
  type Quota,
  type QuotaEvaluator,
} from "@kubewright/kube-apiserver/quota";
import type { KindMonitor } from "../discovery/kind-monitor.ts";
import type { AddController } from "../parts/controller-parts.ts";
import { QuotasByNamespace } from "./quotas-by-namespace.ts";

/** Delay before the controller recounts after admission has reserved an amount, or after another writer has changed the status. */
const reviewMs = 5_000;

/** Kinds whose quota usage can change during their lifetime. */
const varying = new Set(["Pod", "Service", "PersistentVolumeClaim"]);

/**
 * Keeps the usage in the status of quotas up to date, for built-in and custom resources. Objects are already counted by
 * admission when they are created. This controller recounts when an object is deleted, when its usage changes, and when
 * a failed request may have left a reservation behind.
 *
 * It reads from the API server instead of the cache, which may not contain an object that has just been admitted. If
 * such an object were not counted, the same amount could be used twice.
 *
 * @see kubernetes pkg/controller/resourcequota
 */
export const addResourceQuotaController: AddController = ({ controller, manager, monitor, clock }) => {
  const quotas = new QuotasByNamespace();
  controller("resourcequota-controller")
    .watches(ResourceQuota, (event, enqueue) => {
      const isSameSpec = event.type === "update" && jsonEqual(event.old.spec ?? {}, event.object.spec ?? {});
      enqueue(keyOf(event.object), { afterMs: isSameSpec ? reviewMs : 0 });
    })
    .watchesRawSource(
      funcSource(({ queue }) => {
        const enqueue = ({ metadata }: DeepReadonly<KubeObject>, afterMs = 0): void => {
          for (const key of quotas.of(metadata.namespace)) queue.add(key, { afterMs });
        };
        manager.cache.getInformer(ResourceQuota).addHandler({
          added: (quota) => {
            quotas.add(quota);
            enqueue(quota);
          },
          deleted: (quota) => {
            quotas.remove(quota);
            enqueue(quota);
          },
        });
        monitor.add({
          observe(kind, object, old) {
            if (kind.kind === "ResourceQuota" || (old && !varying.has(kind.kind))) return;
            enqueue(object, old ? 0 : reviewMs);
          },
          forget: (_, object) => enqueue(object),
          kindsChanged: () => {
            for (const key of quotas.all()) queue.add(key, {});
          },
        });
      }),
    )
    .complete(quotaReconciler(manager.apiReader, monitor, clock));
};

function quotaReconciler(live: Client, monitor: KindMonitor, clock: Clock): Reconciler {
  return async (key) => {
    await monitor.synced;
    const quota = await live.get(ResourceQuota, key).catch(ignoreNotFound);
    if (!quota || quota.metadata.deletionTimestamp !== undefined) return undefined;
    const hard = parseResourceList(quota.spec?.hard);
    const { status } = quota;
    // A kind that cannot currently be counted keeps its last count.
    const counted = maskResources(parseResourceList(status?.used), Object.keys(hard));
    const used = { ...counted, ...(await usageOf(quota, live, monitor.kinds, clock.now())) };
    const isCurrent =
      status?.hard !== undefined &&
      equalResources(hard, parseResourceList(status.hard)) &&
      equalResources(used, parseResourceList(status.used));
    if (isCurrent) return undefined;
    const next = mutableCopy(quota);
    next.status = { hard: formatResourceList(hard), used: formatResourceList(used) };
    try {
      await live.status.update(ResourceQuota, next);
      return undefined;
    } catch (error) {
      if (isConflict(error)) return { requeueAfterMs: 1 }; // an object was admitted in the meantime
      return ignoreNotFound(error);
    }
  };
}

async function usageOf(quota: DeepReadonly<ResourceQuota>, live: Client, kinds: readonly Kind[], nowMs: number) {
  const evaluators = new Map<QuotaEvaluator, Kind>();
  for (const kind of kinds) {
    const evaluator = kind.scope === "Namespaced" ? evaluatorOf(kind.group, kind.plural ?? "") : undefined;
    if (evaluator) evaluators.set(evaluator, kind);
  }
  const { namespace } = quota.metadata;
  const list = async (evaluator: QuotaEvaluator, limit?: number) => {
    const kind = evaluators.get(evaluator);
    return kind ? await live.list(kind, { namespace, ...(limit ? { limit } : {}) }) : undefined;
  };
  const content = {
    objectsOf: async (evaluator: QuotaEvaluator) => (await list(evaluator)) ?? [],
    countOf: async (evaluator: QuotaEvaluator) => {
      const first = await list(evaluator, 1);
      return (first?.length ?? 0) + (first?.metadata.remainingItemCount ?? 0);
    },
  };
  return calculateUsage(quota as DeepReadonly<Quota>, evaluators.keys(), content, nowMs);
}
