import { isDeepStrictEqual } from "node:util";
import {
  type DeepReadonly,
  ignoreNotFound,
  isConflict,
  keyOf,
  labelSelectorFrom,
  mutableCopy,
} from "@kubewright/apimachinery";
import { DaemonSet, Node, Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { enqueueRequestsFromMapFunc, type ReconcileContext } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { matchesNodeAffinity } from "../scheduling/node-affinity.ts";
import { repellingTaint } from "../scheduling/taints.ts";
import { inGrowingBatches } from "../workload/batches.ts";
import { claim } from "../workload/claim.ts";
import { dropOldRevisions, hashOf, syncRevisions } from "../workload/controller-revisions.ts";
import { ignoreGone, isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { scaledValue } from "../workload/int-or-percent.ts";
import { availableAt, isPodReady } from "../workload/pod-state.ts";
import { daemonPod, daemonTolerations, nodeOf } from "./daemon-pod.ts";
import { FailedPods } from "./failed-pods.ts";

type Pods = readonly DeepReadonly<Pod>[];

/** Runs each DaemonSet's pod on every matching node. @see kubernetes pkg/controller/daemon */
export const addDaemonSetController: AddController = ({ controller, clock }) => {
  const everySet = enqueueRequestsFromMapFunc<Node>(async (_, { client }) => (await client.list(DaemonSet)).map(keyOf));
  const failed = new FailedPods(clock);
  controller("daemonset-controller")
    .for(DaemonSet)
    .owns(Pod)
    .watches(Node, everySet, {
      predicates: [
        (event) =>
          event.type !== "update" ||
          !isDeepStrictEqual(event.old.metadata.labels, event.object.metadata.labels) ||
          !isDeepStrictEqual(event.old.spec?.taints, event.object.spec?.taints),
      ],
    })
    .complete(async (key, context) => {
      const { client } = context;
      const set = await client.get(DaemonSet, key).catch(ignoreNotFound);
      if (!set || set.metadata.deletionTimestamp !== undefined) return undefined;
      const selector = labelSelectorFrom(set.spec.selector);
      const candidates = await client.list(Pod, { namespace: set.metadata.namespace });
      const pods = await claim(client, Pod, { kind: DaemonSet, object: set, selector }, candidates);
      try {
        const revisions = await syncRevisions(client, DaemonSet, set, selector, set.spec.template);
        const hash = hashOf(revisions.update.metadata);
        const nodes = (await client.list(Node))
          .filter((node) => isWanted(set, node, pods))
          .map(({ metadata }) => metadata.name)
          .sort();
        const waitMs = await adjust(set, pods, nodes, hash, failed, context, clock);
        const inUse = new Set(pods.map(({ metadata }) => hashOf(metadata)));
        await dropOldRevisions(client, revisions, inUse, set.spec.revisionHistoryLimit ?? 10);
        return soonest(await report(set, pods, nodes, hash, context, clock), waitMs);
      } catch (error) {
        if (isConflict(error)) return { requeue: true };
        throw error;
      }
    });
};

/** Reports whether a set's pod should run on a node. A `NoSchedule` taint keeps new pods away, but does not remove an existing one. */
function isWanted(set: DeepReadonly<DaemonSet>, node: DeepReadonly<Node>, pods: Pods): boolean {
  const { spec } = set.spec.template;
  if (!spec) return true;
  if (!matchesNodeAffinity({ spec }, node)) return false;
  const tolerations = [...(spec.tolerations ?? []), ...daemonTolerations];
  const taint = repellingTaint({ spec: { ...spec, tolerations } }, node);
  return !taint || (taint.effect === "NoSchedule" && pods.some((pod) => nodeOf(pod) === node.metadata.name));
}

const isGoing = ({ metadata }: DeepReadonly<Pod>): boolean => metadata.deletionTimestamp !== undefined;
const hasEnded = ({ status }: DeepReadonly<Pod>): boolean =>
  status?.phase === "Failed" || status?.phase === "Succeeded";

/**
 * Creates missing pods and deletes surplus or misplaced ones. Returns the delay before the next failed pod may be replaced, or `undefined`
 * if none is waiting.
 */
async function adjust(
  set: DeepReadonly<DaemonSet>,
  pods: Pods,
  nodes: readonly string[],
  hash: string,
  failed: FailedPods,
  { client, recorder }: ReconcileContext,
  clock: Clock,
): Promise<number | undefined> {
  const on = (node: string): Pods => pods.filter((pod) => nodeOf(pod) === node);
  const extra = nodes.flatMap((node) =>
    on(node)
      .filter((pod) => !isGoing(pod) && !hasEnded(pod))
      .toSorted(byAge)
      .slice(1),
  );
  const misplaced = pods.filter((pod) => !nodes.includes(nodeOf(pod) ?? "") && !isGoing(pod));
  const waits: number[] = [];
  const ended = pods.filter((pod) => {
    if (!hasEnded(pod) || isGoing(pod) || misplaced.includes(pod)) return false;
    if (pod.status?.phase !== "Failed") return true;
    const { uid, generation } = set.metadata;
    const waitMs = failed.replaceOrWaitMs(`${uid}/${generation}/${nodeOf(pod)}`);
    if (waitMs > 0) waits.push(waitMs);
    return waitMs === 0;
  });
  const outdated = set.spec.updateStrategy?.type === "OnDelete" ? [] : outdatedToDelete(set, pods, nodes, hash, clock);
  const doomed = new Set([...extra, ...misplaced, ...ended, ...outdated]);
  const empty = nodes.filter((node) => on(node).length === 0);
  await inGrowingBatches(empty.length, async (i) => {
    try {
      const pod = await client.create(Pod, daemonPod(set, empty[i] ?? "", hash));
      recorder.event(set, { reason: "SuccessfulCreate", note: `Created pod: ${pod.metadata.name}` });
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const note = `Error creating: ${error instanceof Error ? error.message : error}`;
      recorder.event(set, { type: "Warning", reason: "FailedCreate", note });
      throw error;
    }
  });
  for (const pod of doomed) {
    await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } }).catch(ignoreGone);
    recorder.event(set, { reason: "SuccessfulDelete", note: `Deleted pod: ${pod.metadata.name}` });
  }
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

function soonest(result: { readonly requeueAfterMs: number } | undefined, waitMs: number | undefined) {
  if (waitMs === undefined) return result;
  return { requeueAfterMs: Math.min(waitMs, result?.requeueAfterMs ?? waitMs) };
}

const byAge = (a: DeepReadonly<Pod>, b: DeepReadonly<Pod>): number =>
  (a.metadata.creationTimestamp ?? "").localeCompare(b.metadata.creationTimestamp ?? "");

/**
 * Selects the outdated pods to delete: all of them that are unavailable, and as many available ones as the update strategy
 * permits.
 */
function outdatedToDelete(
  set: DeepReadonly<DaemonSet>,
  pods: Pods,
  nodes: readonly string[],
  hash: string,
  clock: Clock,
): Pods {
  const rolling = set.spec.updateStrategy?.rollingUpdate;
  const most = Math.max(1, scaledValue(rolling?.maxUnavailable ?? 1, nodes.length, "up"));
  const serving = pods.filter((pod) => !isGoing(pod) && isAvailable(set, pod, clock));
  const old = pods.filter((pod) => !isGoing(pod) && hashOf(pod.metadata) !== hash);
  const idle = old.filter((pod) => !serving.includes(pod));
  const spare = Math.max(0, most - (nodes.length - serving.length));
  return [...idle, ...old.filter((pod) => serving.includes(pod)).slice(0, spare)];
}

function isAvailable(set: DeepReadonly<DaemonSet>, pod: DeepReadonly<Pod>, clock: Clock): boolean {
  const at = availableAt(pod, set.spec.minReadySeconds ?? 0);
  return at !== undefined && at <= clock.now();
}

async function report(
  set: DeepReadonly<DaemonSet>,
  pods: Pods,
  nodes: readonly string[],
  hash: string,
  { client }: ReconcileContext,
  clock: Clock,
): Promise<{ requeueAfterMs: number } | undefined> {
  const live = pods.filter((pod) => !isGoing(pod));
  const placed = nodes.flatMap((node) => live.find((pod) => nodeOf(pod) === node) ?? []);
  const available = placed.filter((pod) => isAvailable(set, pod, clock)).length;
  const updated = placed.filter(({ metadata }) => hashOf(metadata) === hash).length;
  const status = {
    currentNumberScheduled: placed.length,
    numberMisscheduled: live.filter((pod) => !nodes.includes(nodeOf(pod) ?? "")).length,
    desiredNumberScheduled: nodes.length,
    numberReady: placed.filter(isPodReady).length,
    observedGeneration: set.metadata.generation ?? 0,
    ...(updated > 0 ? { updatedNumberScheduled: updated } : {}),
    ...(available > 0 ? { numberAvailable: available } : {}),
    ...(nodes.length > available ? { numberUnavailable: nodes.length - available } : {}),
    ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
  };
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(status)), JSON.parse(JSON.stringify(set.status ?? {})))) {
    const next = { ...mutableCopy(set), status } as DeepReadonly<DaemonSet>;
    await client.status.update(DaemonSet, next).catch(ignoreGone);
  }
  const waiting = placed
    .flatMap((pod) => availableAt(pod, set.spec.minReadySeconds ?? 0) ?? [])
    .filter((at) => at > clock.now());
  return waiting.length > 0 ? { requeueAfterMs: Math.min(...waiting) - clock.now() } : undefined;
}
