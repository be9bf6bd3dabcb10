import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Job } from "@kubewright/client/kinds";
import { parseIndexes } from "./job-status.ts";

/** The number of the first rule of the job's `successPolicy` that the completed indexes fulfil. @see kubernetes pkg/controller/job matchSuccessPolicy */
export function fulfilledSuccessRule(job: DeepReadonly<Job>, completed: ReadonlySet<number>): number | undefined {
  if (completed.size === 0) return undefined;
  const at = (job.spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && completed.size >= succeededCount;
    const required = parseIndexes(succeededIndexes);
    const done = required.filter((index) => completed.has(index)).length;
    return required.length > 0 && done >= (succeededCount ?? required.length);
  });
  return at < 0 ? undefined : at;
}
