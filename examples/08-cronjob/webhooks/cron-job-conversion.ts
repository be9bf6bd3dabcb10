import { type Manager, spoke, versions } from "kubewright";
import { conversion } from "kubewright/webhooks";
import { CronJob } from "../api/cron-job.ts";
import { CronJobV2 } from "../api/cron-job-v2.ts";

// #region versions
/**
 * All versions of CronJob. `CronJob` is the stored version, which controllers
 * use.
 */
export const CronJobVersions = versions(CronJob, {
  spokes: [
    spoke(CronJobV2, {
      toHub: ({ spec: { schedule, ...rest }, status }) => {
        const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule;
        return {
          spec: {
            ...rest,
            schedule: [minute, hour, dayOfMonth, month, dayOfWeek].join(" "),
          },
          status,
        };
      },
      fromHub: ({ spec: { schedule, ...rest }, status }) => {
        const [
          minute = "*",
          hour = "*",
          dayOfMonth = "*",
          month = "*",
          dayOfWeek = "*",
        ] = schedule.split(" ");
        return {
          spec: {
            ...rest,
            schedule: { minute, hour, dayOfMonth, month, dayOfWeek },
          },
          status,
        };
      },
    }),
  ],
});
// #endregion versions

export function add(manager: Manager): void {
  manager.webhooks.add(conversion(CronJobVersions));
}
