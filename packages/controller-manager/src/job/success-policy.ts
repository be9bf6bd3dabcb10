import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Job } from "@kubewright/client/kinds";
import { IndexSet } from "./index-set.ts";

/**
 * Returns the position of the first rule in the job's `successPolicy` that the completed indexes satisfy, if any.
 *
 * @see kubernetes pkg/controller/job matchSuccessPolicy
 */
export function fulfilledSuccessRule(job: DeepReadonly<Job>, completed: IndexSet): number | undefined {
  if (completed.size === 0) return undefined;
  const at = (job.spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && completed.size >= succeededCount;
    const required = IndexSet.parse(succeededIndexes);
    return required.size > 0 && required.countIn(completed) >= (succeededCount ?? required.size);
  });
  return at < 0 ? undefined : at;
}
