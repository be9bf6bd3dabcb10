import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Job, Pod } from "@kubewright/client/kinds";

type Policy = NonNullable<DeepReadonly<Job>["spec"]["podFailurePolicy"]>;
type Rule = Policy["rules"][number];
type ContainerStatuses = NonNullable<NonNullable<DeepReadonly<Pod>["status"]>["containerStatuses"]>;

/** The effect of a failed pod on its job. */
export interface FailureMatch {
  readonly action: "FailJob" | "FailIndex" | "Ignore" | "Count";
  /** Message for the job's condition. It names the pod and the matching rule. */
  readonly message: string;
}

/**
 * Returns the first rule in the job's `podFailurePolicy` that a failed pod matches.
 *
 * @see kubernetes pkg/controller/job matchPodFailurePolicy
 */
export function matchFailurePolicy(job: DeepReadonly<Job>, pod: DeepReadonly<Pod>): FailureMatch | undefined {
  for (const [i, rule] of (job.spec.podFailurePolicy?.rules ?? []).entries()) {
    const what = matchedBy(rule, pod);
    if (what === undefined) continue;
    const action = rule.action as FailureMatch["action"];
    return { action, message: `${what} matching ${action} rule at index ${i}` };
  }
  return undefined;
}

/** True if an `Ignore` rule excludes the pod's failure from all counts. */
export const isIgnored = (job: DeepReadonly<Job>, pod: DeepReadonly<Pod>): boolean =>
  matchFailurePolicy(job, pod)?.action === "Ignore";

function matchedBy({ onExitCodes, onPodConditions = [] }: Rule, { metadata, status }: DeepReadonly<Pod>) {
  const pod = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes) {
    const container = [status?.containerStatuses, status?.initContainerStatuses]
      .map((statuses) => containerThatEnded(statuses ?? [], onExitCodes))
      .find((each) => each !== undefined);
    const code = container?.state?.terminated?.exitCode;
    return container && `Container ${container.name} for pod ${pod} failed with exit code ${code}`;
  }
  const condition = status?.conditions?.find((each) =>
    onPodConditions.some(({ type, status: holds = "True" }) => type === each.type && holds === each.status),
  );
  return condition && `Pod ${pod} has condition ${condition.type}`;
}

function containerThatEnded(statuses: ContainerStatuses, wanted: NonNullable<Rule["onExitCodes"]>) {
  const { containerName, operator, values } = wanted;
  return statuses.find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return operator === "In" ? values.includes(code) : !values.includes(code);
  });
}
