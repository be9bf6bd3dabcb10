import {
  type Condition,
  forbidden,
  isRecord,
  StatusError,
  setCondition,
  type Unstructured,
} from "@kubewright/apimachinery";
import type { ResourceScope } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject, WriteContext } from "@kubewright/apiserver/registry";
import { rfc3339 } from "@kubewright/clock";

interface BudgetStatus {
  readonly disruptionsAllowed?: number;
  readonly desiredHealthy?: number;
  readonly currentHealthy?: number;
  readonly observedGeneration?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly conditions?: readonly Condition[];
}

const statusOf = ({ status }: ReadonlyObject): BudgetStatus => (isRecord(status) ? (status as BudgetStatus) : {});

/** Maximum number of evictions that the budget's controller has not processed yet, as in upstream. */
const maxDisruptedPods = 2_000;

/**
 * Reports whether a pod may be evicted only if the budget allows a disruption. This is not the case for an unhealthy
 * pod if enough other pods are healthy, or if the budget always allows unhealthy pods to be evicted.
 */
export function guardsPod(budget: ReadonlyObject, pod: ReadonlyObject): boolean {
  const conditions = isRecord(pod.status) && Array.isArray(pod.status.conditions) ? pod.status.conditions : [];
  const isReady = conditions.some((each) => isRecord(each) && each.type === "Ready" && each.status === "True");
  if (isReady) return true;
  if (isRecord(budget.spec) && budget.spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return false;
  const { currentHealthy = 0, desiredHealthy = 0 } = statusOf(budget);
  return currentHealthy < desiredHealthy || desiredHealthy <= 0;
}

/**
 * Checks that a budget allows a disruption.
 *
 * @throws {StatusError} 429 if the budget does not currently allow a disruption, 403 if it is not valid
 */
export function checkBudget(budget: ReadonlyObject): void {
  const { name, generation = 0 } = budget.metadata;
  const { disruptionsAllowed = 0, observedGeneration = 0, disruptedPods = {} } = statusOf(budget);
  const resource = { group: "policy", resource: "poddisruptionbudget" };
  if (observedGeneration < generation)
    throw blocked(`The disruption budget ${name} is still being processed by the server.`, 10);
  const invalid = (reason: string, cause: string): StatusError => {
    const { status } = forbidden(resource, name, reason);
    const message = `The disruption budget ${name} does not allow evicting pods currently: ${cause}`;
    const details = { ...status.details, causes: [{ reason: "DisruptionBudget", message }] };
    return new StatusError({ ...status, details });
  };
  if (disruptionsAllowed < 0)
    throw invalid("pdb disruptions allowed is negative", "pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > maxDisruptedPods)
    throw invalid(
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
      "too many pending evictions not confirmed by PDB controller",
    );
  if (disruptionsAllowed === 0) throw blocked(whyNone(budget));
}

function whyNone(budget: ReadonlyObject): string {
  const { name } = budget.metadata;
  const { desiredHealthy = 0, currentHealthy = 0, conditions = [] } = statusOf(budget);
  const denied = conditions.find(
    ({ type, status, message }) => type === "DisruptionAllowed" && status === "False" && message,
  );
  if (denied?.reason === "SyncFailed")
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${denied.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  if (denied)
    return `The disruption budget ${name} does not allow evicting pods currently (${denied.reason ?? ""}): ${denied.message}`;
  return `The disruption budget ${name} does not allow evicting pods currently`;
}

/**
 * Reduces a budget's number of allowed disruptions by one, and records the evicted pod in the budget's status for the
 * controller.
 */
export async function chargeBudget(
  { store, clock, resource }: ResourceScope,
  name: string,
  pod: string,
  context: WriteContext,
): Promise<void> {
  await store.update(
    {
      name,
      part: "status",
      transform(current) {
        const next = structuredClone(current ?? {}) as Unstructured;
        checkBudget(next);
        const status = statusOf(next);
        const left = (status.disruptionsAllowed ?? 0) - 1;
        const time = rfc3339(clock.now());
        const conditions: Condition[] = structuredClone([...(status.conditions ?? [])]);
        if (left === 0) setCondition(conditions, exhausted(status), time);
        next.status = {
          ...status,
          disruptionsAllowed: left,
          disruptedPods: { ...status.disruptedPods, [pod]: time },
          ...(conditions.length > 0 ? { conditions } : {}),
        };
        const written = {
          manager: "kube-apiserver",
          subresource: "status",
          time,
          resetFields: [["spec"], ["metadata"]],
        };
        return resource.fieldManager?.update(current, next, written) ?? next;
      },
    },
    context,
  );
}

const exhausted = ({ observedGeneration }: BudgetStatus) => ({
  type: "DisruptionAllowed",
  status: "False" as const,
  reason: "InsufficientPods",
  message: "",
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
});

function blocked(message: string, retryAfterSeconds?: number): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: "TooManyRequests",
    details: {
      causes: [{ reason: "DisruptionBudget", message }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
    code: 429,
  });
}
