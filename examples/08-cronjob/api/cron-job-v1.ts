import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";
import { cronField, cronJob, sharedSpec, status } from "./shared.ts";

export const CronJobV1 = defineKind({
  ...cronJob,
  version: "v1",
  spec: Type.Object({
    schedule: Type.String({
      pattern: `^${cronField}( ${cronField}){4}$`,
      maxLength: 100,
      description: "In cron's format, such as */5 * * * *",
    }),
    ...sharedSpec,
  }),
  status,
  columns: [{ name: "Schedule", type: "string", jsonPath: ".spec.schedule" }],
});
export type CronJobV1 = ObjectOf<typeof CronJobV1>;
