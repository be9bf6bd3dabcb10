import { type ObjectOf, typedSchema } from "kubewright";
import type { Job } from "kubewright/kinds";
import { Type } from "typebox";

/**
 * Pattern of one of the five fields of a schedule: `*`, `5`, `1-5`, `0,30`,
 * `0-59/15`, `MON`.
 */
export const cronField = "[0-9A-Za-z*,/-]+";

type JobObject = ObjectOf<typeof Job>;
interface JobTemplate {
  metadata?: {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec: NonNullable<JobObject["spec"]>;
}

/**
 * The fields that both versions share. The Job is validated when it is created.
 */
export const sharedSpec = {
  startingDeadlineSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "Maximum delay of a start, in seconds. A later run is skipped.",
    }),
  ),
  concurrencyPolicy: Type.Enum(["Allow", "Forbid", "Replace"], {
    default: "Allow",
    description: "How to handle a run that is due while another one is active.",
  }),
  suspend: Type.Optional(Type.Boolean()),
  // #region template
  jobTemplate: typedSchema<JobTemplate>({
    type: "object",
    required: ["spec"],
    properties: {
      spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
    "x-kubernetes-preserve-unknown-fields": true,
  }),
  // #endregion template
  successfulJobsHistoryLimit: Type.Optional(Type.Integer({ minimum: 0 })),
  failedJobsHistoryLimit: Type.Optional(Type.Integer({ minimum: 0 })),
};

export const status = Type.Object({
  active: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), uid: Type.String() })),
  ),
  lastScheduleTime: Type.Optional(Type.String({ format: "date-time" })),
});
