import { isDeepStrictEqual } from "node:util";
import {
  type DeepReadonly,
  ignoreNotFound,
  type Kind,
  keyOf,
  labelSelectorFrom,
  labelSelectorFromLabels,
  ownMember,
  type ParsedLabelSelector,
} from "@kubewright/apimachinery";
import { Pod, ReplicaSet, ReplicationController } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ReconcileContext, Reconciler } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { inGrowingBatches } from "../workload/batches.ts";
import { claim } from "../workload/claim.ts";
import { ignoreGone, isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { podFromTemplate } from "../workload/pod-from-template.ts";
import { availableAt, isPodActive, isPodReady } from "../workload/pod-state.ts";
import { podsToDelete } from "./pods-to-delete.ts";

type Pods = readonly DeepReadonly<Pod>[];
type Replicated = ReplicaSet | ReplicationController;

/** Properties in which ReplicaSets and ReplicationControllers differ. */
interface ReplicatedKind<T extends Replicated> {
  readonly kind: Kind<T>;
  selectorOf(object: DeepReadonly<T>): ParsedLabelSelector;
  /** True if the kind's status contains the number of terminating pods. */
  readonly countsTerminating: boolean;
}

/** Findings about a replica set, from which its status follows. */
interface Findings {
  readonly pods: Pods;
  readonly terminating: number | undefined;
  readonly failure: unknown;
}

const replicaSets: ReplicatedKind<ReplicaSet> = {
  kind: ReplicaSet,
  selectorOf: ({ spec }) => labelSelectorFrom(spec.selector),
  countsTerminating: true,
};
const replicationControllers: ReplicatedKind<ReplicationController> = {
  kind: ReplicationController,
  selectorOf: ({ spec }) => labelSelectorFromLabels(spec.selector ?? {}),
  countsTerminating: false,
};

/** Maximum number of pods created or deleted per reconcile. */
const burst = 500;

export const addReplicaSetController: AddController = ({ controller, clock }) => {
  controller("replicaset-controller").for(ReplicaSet).owns(Pod).complete(replicaReconciler(replicaSets, clock));
};

export const addReplicationController: AddController = ({ controller, clock }) => {
  controller("replicationcontroller-controller")
    .for(ReplicationController)
    .owns(Pod)
    .complete(replicaReconciler(replicationControllers, clock));
};

/**
 * Returns a reconciler that keeps `spec.replicas` pods active. Upstream tracks expectations, so that it does not create or delete a pod
 * twice. This is not necessary here, because a controller's reads already include its own writes.
 *
 * @see kubernetes pkg/controller/replicaset, pkg/controller/replication
 */
function replicaReconciler<T extends Replicated>(replicated: ReplicatedKind<T>, clock: Clock): Reconciler {
  const { kind, selectorOf } = replicated;
  return async (key, context) => {
    const set = await context.client.get(kind, key).catch(ignoreNotFound);
    if (!set) return undefined;
    const { namespace, deletionTimestamp } = set.metadata;
    const candidates = await context.client.list(Pod, { namespace });
    const claimant = { kind, object: set, selector: selectorOf(set) };
    const claimed = await claim(context.client, Pod, claimant, candidates);
    const pods = claimed.filter(isPodActive);
    const terminating = replicated.countsTerminating ? claimed.filter(isTerminating).length : undefined;
    let failure: unknown;
    if (deletionTimestamp === undefined) {
      try {
        await adjust(kind, set, pods, context);
      } catch (error) {
        failure = error;
      }
    }
    const result = await report(kind, set, { pods, terminating, failure }, clock, context);
    if (failure !== undefined && !isNamespaceTerminating(failure)) throw failure;
    return result;
  };
}

const isTerminating = ({ metadata, status }: DeepReadonly<Pod>): boolean =>
  metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";

async function adjust<T extends Replicated>(
  kind: Kind<T>,
  object: DeepReadonly<T>,
  pods: Pods,
  { client, recorder }: ReconcileContext,
): Promise<void> {
  const set: DeepReadonly<Replicated> = object as DeepReadonly<Replicated>;
  const missing = (set.spec.replicas ?? 1) - pods.length;
  const create = async (): Promise<void> => {
    try {
      const pod = await client.create(Pod, podFromTemplate(kind, set, set.spec.template));
      recorder.event(set, { reason: "SuccessfulCreate", note: `Created pod: ${pod.metadata.name}` });
    } catch (error) {
      if (!isNamespaceTerminating(error))
        recorder.event(set, { type: "Warning", reason: "FailedCreate", note: `Error creating: ${textOf(error)}` });
      throw error;
    }
  };
  const remove = async (pod: DeepReadonly<Pod>): Promise<void> => {
    await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } }).catch(ignoreGone);
    recorder.event(set, { reason: "SuccessfulDelete", note: `Deleted pod: ${pod.metadata.name}` });
  };
  if (missing > 0) await inGrowingBatches(Math.min(missing, burst), create);
  else await Promise.all(podsToDelete(pods, Math.min(-missing, burst)).map(remove));
}

async function report<T extends Replicated>(
  kind: Kind<T>,
  object: DeepReadonly<T>,
  { pods, terminating, failure }: Findings,
  clock: Clock,
  { client }: ReconcileContext,
): Promise<{ requeueAfterMs: number } | undefined> {
  const set: DeepReadonly<Replicated> = object as DeepReadonly<Replicated>;
  const labels = Object.entries(set.spec.template?.metadata?.labels ?? {});
  const isFullyLabeled = ({ metadata }: DeepReadonly<Pod>): boolean =>
    labels.every(([key, value]) => ownMember(metadata.labels, key) === value);
  const due = pods.flatMap((pod) => availableAt(pod, set.spec.minReadySeconds ?? 0) ?? []);
  const later = due.filter((at) => at > clock.now());
  const conditions = conditionsWith(set.status?.conditions, failure, (set.spec.replicas ?? 1) - pods.length, clock);
  const status = {
    replicas: pods.length,
    ...positive("fullyLabeledReplicas", pods.filter(isFullyLabeled).length),
    ...positive("readyReplicas", pods.filter(isPodReady).length),
    ...positive("availableReplicas", due.length - later.length),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    observedGeneration: set.metadata.generation ?? 0,
    ...(conditions && conditions.length > 0 ? { conditions } : {}),
  };
  if (!isDeepStrictEqual(status, { ...set.status }))
    await client.status.update(kind, { ...object, status }).catch(ignoreGone);
  return later.length > 0 ? { requeueAfterMs: Math.min(...later) - clock.now() } : undefined;
}

type Conditions = NonNullable<DeepReadonly<Replicated>["status"]>["conditions"];

/** Returns the conditions with `ReplicaFailure` set or removed. It is true as long as pods cannot be created or deleted. */
function conditionsWith(present: Conditions, failure: unknown, missing: number, clock: Clock): Conditions {
  const standing = present?.find(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) return standing ? present?.filter((each) => each !== standing) : present;
  if (standing) return present;
  const condition = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: rfc3339(clock.now()),
    reason: missing > 0 ? "FailedCreate" : "FailedDelete",
    message: textOf(failure),
  };
  return [...(present ?? []), condition] as Conditions;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const positive = (name: string, count: number): Record<string, number> => (count > 0 ? { [name]: count } : {});
