import { type FieldError, fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageCell, ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { parseSchedule, ScheduleError } from "../../cron/schedule.ts";
import { nonNegative, oneOf } from "../checks.ts";
import { column, containerColumns, selectorCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { dropScheduling } from "../pod/disabled-fields.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import { validateJobSpec } from "./job-spec.ts";
import type { JobSpec } from "./job-types.ts";

interface CronJob extends KubeObject {
  spec?: {
    schedule?: string;
    timeZone?: string;
    startingDeadlineSeconds?: number;
    concurrencyPolicy?: string;
    suspend?: boolean;
    jobTemplate?: { metadata?: object; spec?: JobSpec };
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
  };
  status?: { active?: unknown[]; lastScheduleTime?: string };
}

const at = fieldPath("spec");
const policies = ["Allow", "Forbid", "Replace"];
const longestName = 52;

function scheduleProblem(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function scheduleErrors(schedule: string | undefined, timeZone: string | undefined): FieldError[] {
  const path = at.child("schedule");
  if (!schedule) return [fieldError.required(path)];
  const problem = scheduleProblem(schedule);
  return [
    ...(problem ? [fieldError.invalid(path, schedule, problem)] : []),
    ...(schedule.includes("TZ") && timeZone
      ? [fieldError.invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")]
      : schedule.includes("TZ")
        ? [fieldError.invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")]
        : []),
  ];
}

function timeZoneErrors(timeZone: string | undefined): FieldError[] {
  const path = at.child("timeZone");
  if (timeZone === undefined) return [];
  if (timeZone === "") return [fieldError.invalid(path, timeZone, "timeZone must be nil or non-empty string")];
  if (timeZone.toLowerCase() === "local")
    return [
      fieldError.invalid(
        path,
        timeZone,
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
      ),
    ];
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return [];
  } catch {
    return [fieldError.invalid(path, timeZone, `unknown time zone ${timeZone}`)];
  }
}

function validate(object: CronJob): FieldError[] {
  const spec = object.spec ?? {};
  const { name } = object.metadata;
  const jobPath = at.child("jobTemplate", "spec");
  const job = spec.jobTemplate?.spec ?? {};
  return [
    ...scheduleErrors(spec.schedule, spec.timeZone),
    ...nonNegative(spec.startingDeadlineSeconds, at.child("startingDeadlineSeconds")),
    ...timeZoneErrors(spec.timeZone),
    ...oneOf(spec.concurrencyPolicy, policies, at.child("concurrencyPolicy")),
    ...validateJobSpec(job, jobPath),
    ...(job.selector
      ? [fieldError.invalid(jobPath.child("selector"), job.selector, "`selector` will be auto-generated")]
      : []),
    ...(job.manualSelector ? [fieldError.notSupported(jobPath.child("manualSelector"), true, ["nil", "false"])] : []),
    ...nonNegative(spec.successfulJobsHistoryLimit, at.child("successfulJobsHistoryLimit")),
    ...nonNegative(spec.failedJobsHistoryLimit, at.child("failedJobsHistoryLimit")),
    ...((name ?? "").length > longestName
      ? [fieldError.invalid("metadata.name", name, "must be no more than 52 characters")]
      : []),
  ];
}

/** Strategy for CronJobs. @see pkg/registry/batch/cronjob strategy.go */
export const cronJobStrategy = defineStrategy<CronJob>({
  declaredFields: ["spec.schedule"],
  countsGeneration: true,
  applyDefaults(object) {
    object.spec ??= {};
    const { spec } = object;
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    spec.jobTemplate ??= {};
    spec.jobTemplate.metadata ??= {};
    spec.jobTemplate.spec ??= {};
    // Only the defaults for the pods are set here. The defaults for the Job are set when it is created.
    spec.jobTemplate.spec.template ??= {};
    applyPodTemplateDefaults(spec.jobTemplate.spec.template);
  },
  prepareForCreate(object) {
    dropScheduling(object.spec?.jobTemplate?.spec);
    object.status = {};
  },
  prepareForUpdate: ({ spec }) => dropScheduling(spec?.jobTemplate?.spec),
  validate,
  columns: [
    nameColumn,
    column("Schedule", ({ spec }) => spec?.schedule ?? ""),
    column("Timezone", ({ spec }) => spec?.timeZone ?? "<none>"),
    column("Suspend", ({ spec }) => (spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False"), {
      type: "boolean",
    }),
    column("Active", ({ status }) => status?.active?.length ?? 0, { type: "integer" }),
    column("Last Schedule", ({ status }, nowMs) =>
      status?.lastScheduleTime ? ageCell(status.lastScheduleTime, nowMs) : "<none>",
    ),
    ageColumn,
    ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec?.containers),
    column("Selector", ({ spec }) => selectorCell(spec?.jobTemplate?.spec?.selector), { wide: true }),
  ],
});
