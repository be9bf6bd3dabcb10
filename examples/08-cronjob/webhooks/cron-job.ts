import { parseSchedule } from "@kubewright/kube-apiserver/cron";
import type { DeepReadonly, Manager } from "kubewright";
import { admission, invalid } from "kubewright/webhooks";
import { CronJob } from "../api/cron-job.ts";

/**
 * Maximum length of a CronJob's name: the name of a Job has at most 63
 * characters, eleven more than the name of its CronJob.
 */
const longestName = 52;

// #region check
function check({
  metadata: { name = "" },
  spec: { schedule },
}: DeepReadonly<CronJob>): void {
  if (name.length > longestName)
    throw invalid(
      "metadata.name",
      name,
      `must be no more than ${longestName} characters`,
    );
  try {
    parseSchedule(schedule);
  } catch (error) {
    throw invalid(
      "spec.schedule",
      schedule,
      error instanceof Error ? error.message : String(error),
    );
  }
}
// #endregion check

// #region add
export function add(manager: Manager): void {
  manager.webhooks.add(
    admission(CronJob)
      .default(({ spec }) => {
        // A draft as it was sent, not validated yet.
        const pod = spec?.jobTemplate?.spec?.template?.spec;
        if (pod) pod.restartPolicy ??= "OnFailure";
      })
      .validate({ create: check, update: check }),
  );
}
// #endregion add
