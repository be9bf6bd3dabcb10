import {
  controllerOf,
  type DeepReadonly,
  jsonEqual,
  keyOf,
  labelSelectorFrom,
  mutableCopy,
  ownMember,
  unstructured,
} from "@kubewright/apimachinery";
import { Pod, PodDisruptionBudget } from "@kubewright/client/kinds";
import { rfc3339 } from "@kubewright/clock";
import { asReconciler, enqueueRequestsFromMapFunc } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { scaledValue } from "../workload/int-or-percent.ts";
import { isPodReady } from "../workload/pod-state.ts";
import { expectedScale, type ScaleReader } from "./expected-scale.ts";

type Budget = DeepReadonly<PodDisruptionBudget>;

/** Maximum time for which an evicted pod counts as disrupted if its deletion has not started. */
const deletionTimeoutMs = 120_000;

/**
 * Writes the number of allowed evictions to the status of PodDisruptionBudgets.
 *
 * @see kubernetes pkg/controller/disruption
 */
export const addDisruptionController: AddController = ({ controller, manager, clock }) => {
  const live = manager.apiReader;
  const readScale: ScaleReader = ({ apiVersion, kind, name }, namespace) =>
    live.get(unstructured({ apiVersion, kind }), { namespace, name });
  const budgetsOfPod = enqueueRequestsFromMapFunc<Pod>(async ({ metadata }, { client }) =>
    (await client.list(PodDisruptionBudget, { namespace: metadata.namespace }))
      .filter(({ spec }) => labelSelectorFrom(spec?.selector).matches(metadata.labels))
      .map(keyOf),
  );
  controller("disruption-controller")
    .for(PodDisruptionBudget)
    .watches(Pod, budgetsOfPod)
    .complete(
      asReconciler(PodDisruptionBudget, async (budget, { client, recorder }) => {
        const selector = labelSelectorFrom(budget.spec?.selector);
        const all = await client.list(Pod, { namespace: budget.metadata.namespace });
        const pods = all.filter(({ metadata }) => selector.matches(metadata.labels));
        if (pods.length === 0) recorder.event(budget, { reason: "NoPods", note: "No matching pods found" });
        const now = clock.now();
        const { expected, desired } = await wantedOf(budget, pods, readScale);
        const disrupted = stillDisrupted(budget, pods, now);
        const healthy = pods.filter(
          (pod) =>
            pod.metadata.deletionTimestamp === undefined &&
            !Object.hasOwn(disrupted, pod.metadata.name) &&
            isPodReady(pod),
        ).length;
        const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
        const status = {
          currentHealthy: healthy,
          desiredHealthy: desired,
          disruptionsAllowed: allowed,
          expectedPods: expected,
          observedGeneration: budget.metadata.generation ?? 0,
          conditions: conditionsOf(budget, allowed, rfc3339(now)),
          ...(Object.keys(disrupted).length > 0 ? { disruptedPods: disrupted } : {}),
        };
        if (!jsonEqual(status, budget.status ?? {})) {
          const next = { ...mutableCopy(budget), status };
          await client.status.update(PodDisruptionBudget, next as DeepReadonly<PodDisruptionBudget>).catch(ignoreGone);
        }
        const soonest = Math.min(...Object.values(disrupted).map((at) => Date.parse(at) + deletionTimeoutMs));
        return Number.isFinite(soonest) ? { requeueAfterMs: Math.max(soonest - now, 1) } : undefined;
      }),
    );
};

async function wantedOf(budget: Budget, pods: readonly DeepReadonly<Pod>[], readScale: ScaleReader) {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  const owners = pods.flatMap((pod) => controllerOf(pod) ?? []);
  const scale = () => expectedScale(owners, budget.metadata.namespace, readScale);
  if (maxUnavailable !== undefined) {
    const expected = await scale();
    return { expected, desired: Math.max(0, expected - scaledValue(maxUnavailable, expected, "up")) };
  }
  if (typeof minAvailable === "number") return { expected: pods.length, desired: minAvailable };
  const expected = minAvailable === undefined ? 0 : await scale();
  return { expected, desired: scaledValue(minAvailable, expected, "up") };
}

/** Returns the evicted pods whose deletion has not started yet, with the time of their eviction. */
function stillDisrupted({ status }: Budget, pods: readonly DeepReadonly<Pod>[], now: number): Record<string, string> {
  const waiting = pods.flatMap(({ metadata }) => {
    const since = ownMember(status?.disruptedPods, metadata.name);
    const counts = since !== undefined && metadata.deletionTimestamp === undefined;
    return counts && Date.parse(since) + deletionTimeoutMs >= now ? [[metadata.name, since] as const] : [];
  });
  return Object.fromEntries(waiting);
}

function conditionsOf({ status, metadata }: Budget, allowed: number, now: string) {
  const type = "DisruptionAllowed";
  const old = status?.conditions?.find((each) => each.type === type);
  const holds = allowed > 0 ? "True" : "False";
  const condition = {
    type,
    status: holds,
    observedGeneration: metadata.generation ?? 0,
    lastTransitionTime: old?.status === holds ? old.lastTransitionTime : now,
    reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
  };
  return [...(status?.conditions ?? []).filter((each) => each !== old), condition];
}
