import { type ObjectOf, spoke, versions } from "kubewright";
import { CronJobV1 } from "./cron-job-v1.ts";
import { CronJobV2 } from "./cron-job-v2.ts";

/** `v1` is stored, and is what controllers see. */
export const CronJob = versions(CronJobV1, {
  spokes: [
    spoke(CronJobV2, {
      toHub: ({ spec: { schedule, ...rest }, status }) => {
        const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule;
        return { spec: { ...rest, schedule: [minute, hour, dayOfMonth, month, dayOfWeek].join(" ") }, status };
      },
      fromHub: ({ spec: { schedule, ...rest }, status }) => {
        const [minute = "*", hour = "*", dayOfMonth = "*", month = "*", dayOfWeek = "*"] = schedule.split(" ");
        return { spec: { ...rest, schedule: { minute, hour, dayOfMonth, month, dayOfWeek } }, status };
      },
    }),
  ],
});
export type CronJob = ObjectOf<typeof CronJob>;
