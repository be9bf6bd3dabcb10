import { cel, defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";
import { cronField, sharedSpec, status } from "./shared.ts";

const field = (description: string) =>
  Type.String({
    default: "*",
    pattern: `^${cronField}$`,
    maxLength: 19,
    description,
  });

const schedule = Type.Object(
  {
    minute: field("0-59"),
    hour: field("0-23"),
    dayOfMonth: field("1-31"),
    month: field("1-12, or JAN-DEC"),
    dayOfWeek: field("0-6, or SUN-SAT"),
  },
  { default: {}, description: "Omitted fields are *, which means always." },
);

export const CronJobV2 = defineKind({
  group: "batch.tutorial.kubewright.dev",
  version: "v2",
  kind: "CronJob",
  scope: "Namespaced",
  spec: Type.Object({
    schedule,
    ...sharedSpec,
  }),
  status,
  rules: {
    spec: [
      cel("self.schedule.dayOfMonth == '*' || self.schedule.dayOfWeek == '*'", {
        message: "set dayOfMonth or dayOfWeek: cron runs if either matches",
        fieldPath: ".schedule",
      }),
    ],
  },
  columns: [
    { name: "Minute", type: "string", jsonPath: ".spec.schedule.minute" },
    { name: "Hour", type: "string", jsonPath: ".spec.schedule.hour" },
  ],
});
export type CronJobV2 = ObjectOf<typeof CronJobV2>;
