import { type ObjectOf, typedSchema } from "kubewright";
import type { Job } from "kubewright/kinds";
import { Type } from "typebox";

/** One of the five fields of a schedule: `*`, `5`, `1-5`, `0,30`, `0-59/15`, `MON`. */
export const cronField = "[0-9A-Za-z*,/-]+";

type JobObject = ObjectOf<typeof Job>;
interface JobTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: NonNullable<JobObject["spec"]>;
}

/** What is the same in both versions. The Job is checked when it is created. */
export const sharedSpec = {
  startingDeadlineSeconds: Type.Optional(
    Type.Integer({ minimum: 0, description: "A run that is later than this is left out." }),
  ),
  concurrencyPolicy: Type.Enum(["Allow", "Forbid", "Replace"], {
    default: "Allow",
    description: "What becomes of a run whose time comes while another is at work.",
  }),
  suspend: Type.Optional(Type.Boolean()),
  // #region template
  jobTemplate: typedSchema<JobTemplate>({
    type: "object",
    required: ["spec"],
    properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    "x-kubernetes-preserve-unknown-fields": true,
  }),
  // #endregion template
  successfulJobsHistoryLimit: Type.Optional(Type.Integer({ minimum: 0 })),
  failedJobsHistoryLimit: Type.Optional(Type.Integer({ minimum: 0 })),
};

export const status = Type.Object({
  active: Type.Optional(Type.Array(Type.Object({ name: Type.String(), uid: Type.String() }))),
  lastScheduleTime: Type.Optional(Type.String({ format: "date-time" })),
});
