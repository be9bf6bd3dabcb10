import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";
import { cronField, sharedSpec, status } from "./shared.ts";

/** The stored version of CronJob, which controllers use. */
export const CronJob = defineKind({
  group: "batch.tutorial.kubewright.dev",
  version: "v1",
  kind: "CronJob",
  scope: "Namespaced",
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
export type CronJob = ObjectOf<typeof CronJob>;
