import { type FieldError, fieldError, fieldPath, jsonEqual, type KubeObject } from "@kubewright/apimachinery";
import { humanDuration } from "../../duration.ts";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { immutable } from "../checks.ts";
import { column, containerColumns, selectorCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { applyJobSpecDefaults, type JobSpec, jobSelectorErrors, validateJobSpec } from "./job-spec.ts";

interface Job extends KubeObject {
  spec?: JobSpec;
  status?: {
    succeeded?: number;
    startTime?: string;
    completionTime?: string;
    conditions?: { type: string; status: string }[];
  };
}

const at = fieldPath("spec");
const spec = (job: Job): JobSpec => job.spec ?? {};

const shownConditions = [
  ["Complete", "Complete"],
  ["Failed", "Failed"],
  ["", "Terminating"],
  ["Suspended", "Suspended"],
  ["FailureTarget", "FailureTarget"],
  ["SuccessCriteriaMet", "SuccessCriteriaMet"],
] as const;

function statusCell(job: Job): string {
  const isTrue = (type: string): boolean =>
    type === ""
      ? job.metadata.deletionTimestamp !== undefined
      : (job.status?.conditions ?? []).some((c) => c.type === type && c.status === "True");
  return shownConditions.find(([type]) => isTrue(type))?.[1] ?? "Running";
}

function completionsCell(job: Job): string {
  const { completions, parallelism = 0 } = spec(job);
  const done = job.status?.succeeded ?? 0;
  if (completions !== undefined) return `${done}/${completions}`;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function durationCell(job: Job, nowMs: number): string {
  const { startTime, completionTime } = job.status ?? {};
  if (!startTime) return "";
  return humanDuration((completionTime ? Date.parse(completionTime) : nowMs) - Date.parse(startTime));
}

/** The pods of a Job are told from all others by labels that its uid makes. */
function generateSelector(job: Job): void {
  const jobSpec = spec(job);
  if (jobSpec.manualSelector || !jobSpec.template) return;
  const uid = job.metadata.uid ?? "";
  const labels: Record<string, string> = { ...jobSpec.template.metadata?.labels };
  labels["batch.kubernetes.io/controller-uid"] ??= uid;
  labels["batch.kubernetes.io/job-name"] ??= job.metadata.name;
  labels["controller-uid"] ??= uid;
  labels["job-name"] ??= job.metadata.name;
  jobSpec.template.metadata = { ...jobSpec.template.metadata, labels };
  jobSpec.selector ??= {};
  jobSpec.selector = {
    ...jobSpec.selector,
    matchLabels: { ...jobSpec.selector.matchLabels, "batch.kubernetes.io/controller-uid": uid },
  };
}

/** Without `manualSelector` the selector is the generated one. */
function generatedErrors(job: Job): FieldError[] {
  const { manualSelector, selector } = spec(job);
  const generated = { matchLabels: { "batch.kubernetes.io/controller-uid": job.metadata.uid ?? "" } };
  if (manualSelector || !selector || jsonEqual(selector, generated)) return [];
  return [fieldError.invalid(at.child("selector"), selector, "`selector` not auto-generated")];
}

function validate(job: Job): FieldError[] {
  return [...validateJobSpec(spec(job), at), ...generatedErrors(job), ...jobSelectorErrors(spec(job), at)];
}

/** @see pkg/registry/batch/job strategy.go */
export const jobStrategy = defineStrategy<Job>({
  countsGeneration: true,
  defaultGarbageCollectionPolicy: "background",
  applyDefaults(job) {
    job.spec ??= {};
    job.spec.template ??= {};
    applyJobSpecDefaults(job.spec);
    if (job.metadata.labels === undefined || Object.keys(job.metadata.labels).length === 0) {
      const labels = job.spec.template?.metadata?.labels;
      if (labels && Object.keys(labels).length > 0) job.metadata.labels = { ...labels };
    }
  },
  prepareForCreate(job) {
    const { labels } = job.metadata;
    const isCopied = !labels || jsonEqual(labels, spec(job).template?.metadata?.labels ?? {});
    generateSelector(job);
    const generated = spec(job).template?.metadata?.labels;
    if (isCopied && generated && Object.keys(generated).length > 0) job.metadata.labels = { ...generated };
    job.status = {};
  },
  validate,
  validateUpdate: (job, old) => [
    ...validate(job),
    ...immutable(spec(job).completions, spec(old).completions, at.child("completions")),
    ...immutable(spec(job).selector, spec(old).selector, at.child("selector")),
    ...(old.spec?.suspend === true && !old.status?.startTime
      ? []
      : immutable(spec(job).template, spec(old).template, at.child("template"))),
    ...immutable(spec(job).completionMode, spec(old).completionMode, at.child("completionMode")),
    ...immutable(spec(job).podFailurePolicy, spec(old).podFailurePolicy, at.child("podFailurePolicy")),
    ...immutable(spec(job).backoffLimitPerIndex, spec(old).backoffLimitPerIndex, at.child("backoffLimitPerIndex")),
  ],
  columns: [
    nameColumn,
    column("Status", statusCell),
    column("Completions", completionsCell),
    column("Duration", durationCell),
    ageColumn,
    ...containerColumns<Job>((job) => spec(job).template?.spec?.containers),
    column("Selector", (job) => selectorCell(spec(job).selector), { wide: true }),
  ],
  unknownFieldLabel: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  selectableFields: {
    "status.successful": (job) => String(job.status?.succeeded ?? 0),
  },
});
