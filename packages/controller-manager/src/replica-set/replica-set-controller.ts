import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, ignoreNotFound, isConflict, keyOf, labelSelectorFrom } from "@kubewright/apimachinery";
import { Pod, ReplicaSet } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { ReconcileContext, Reconciler } from "@kubewright/controller";
import { claim } from "../workload/claim.ts";
import { availableAt, isPodActive, isPodReady } from "../workload/pod-state.ts";
import { podsToDelete } from "./pods-to-delete.ts";

type Pods = readonly DeepReadonly<Pod>[];

/** So many pods are created or deleted in one reconcile. */
const burst = 500;

/**
 * ReplicaSet: keeps as many active pods as `spec.replicas` says. What upstream keeps expectations for, that nothing is created or
 * deleted twice, every controller here has: it reads its own writes.
 *
 * @see kubernetes pkg/controller/replicaset
 */
export function replicaSetReconciler(clock: Clock): Reconciler {
  return async (key, context) => {
    const set = await context.client.get(ReplicaSet, key).catch(ignoreNotFound);
    if (!set) return undefined;
    const selector = labelSelectorFrom(set.spec.selector);
    const candidates = await context.client.list(Pod, { namespace: set.metadata.namespace });
    const claimed = await claim(context.client, Pod, { kind: ReplicaSet, object: set, selector }, candidates);
    const pods = claimed.filter(isPodActive);
    if (set.metadata.deletionTimestamp === undefined) await adjust(set, pods, context);
    return await report(set, pods, clock, context);
  };
}

async function adjust(
  set: DeepReadonly<ReplicaSet>,
  pods: Pods,
  { client, recorder }: ReconcileContext,
): Promise<void> {
  const missing = (set.spec.replicas ?? 1) - pods.length;
  const create = async (): Promise<void> => {
    const pod = await client.create(Pod, podOf(set));
    recorder.event(set, { reason: "SuccessfulCreate", note: `Created pod: ${pod.metadata.name}` });
  };
  const remove = async (pod: DeepReadonly<Pod>): Promise<void> => {
    await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } }).catch(ignoreGone);
    recorder.event(set, { reason: "SuccessfulDelete", note: `Deleted pod: ${pod.metadata.name}` });
  };
  if (missing > 0) await inGrowingBatches(Math.min(missing, burst), create);
  else await Promise.all(podsToDelete(pods, Math.min(-missing, burst)).map(remove));
}

/** 1, 2, 4 … at a time, so that what fails for one is not tried for all. */
async function inGrowingBatches(count: number, work: () => Promise<void>): Promise<void> {
  for (let done = 0, batch = 1; done < count; batch *= 2) {
    const size = Math.min(batch, count - done);
    await Promise.all(Array.from({ length: size }, work));
    done += size;
  }
}

function podOf(set: DeepReadonly<ReplicaSet>) {
  const { metadata, spec } = set;
  const template = spec.template;
  return {
    metadata: {
      generateName: `${metadata.name}-`,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      labels: { ...template?.metadata?.labels },
      annotations: { ...template?.metadata?.annotations },
      finalizers: [...(template?.metadata?.finalizers ?? [])],
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: metadata.name,
          uid: metadata.uid ?? "",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { containers: [], ...template?.spec },
  };
}

/** Gone already, or another by now: both leave nothing to do. */
function ignoreGone(error: unknown): undefined {
  return isConflict(error) ? undefined : ignoreNotFound(error);
}

async function report(
  set: DeepReadonly<ReplicaSet>,
  pods: Pods,
  clock: Clock,
  { client }: ReconcileContext,
): Promise<{ requeueAfterMs: number } | undefined> {
  const labels = Object.entries(set.spec.template?.metadata?.labels ?? {});
  const isFullyLabeled = ({ metadata }: DeepReadonly<Pod>): boolean =>
    labels.every(([key, value]) => metadata.labels?.[key] === value);
  const due = pods.flatMap((pod) => availableAt(pod, set.spec.minReadySeconds ?? 0) ?? []);
  const later = due.filter((at) => at > clock.now());
  const status = {
    replicas: pods.length,
    ...positive("fullyLabeledReplicas", pods.filter(isFullyLabeled).length),
    ...positive("readyReplicas", pods.filter(isPodReady).length),
    ...positive("availableReplicas", due.length - later.length),
    observedGeneration: set.metadata.generation ?? 0,
    ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
  };
  if (!isDeepStrictEqual(status, { ...set.status }))
    await client.status.update(ReplicaSet, { ...set, status }).catch(ignoreGone);
  return later.length > 0 ? { requeueAfterMs: Math.min(...later) - clock.now() } : undefined;
}

const positive = (name: string, count: number): Record<string, number> => (count > 0 ? { [name]: count } : {});
