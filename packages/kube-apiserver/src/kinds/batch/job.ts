import {
  type FieldError,
  fieldError,
  fieldPath,
  isDns1123Label,
  jsonEqual,
  type KubeObject,
  quote,
} from "@kubewright/apimachinery";
import { ageColumn, humanDuration, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, selects } from "../checks.ts";
import { column, containerColumns, selectorCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { dropScheduling } from "../pod/disabled-fields.ts";
import { unchanged } from "../unchanged.ts";
import { indexesOf } from "./job-policies.ts";
import { applyJobSpecDefaults, jobSelectorErrors, validateJobSpec } from "./job-spec.ts";
import type { JobSpec } from "./job-types.ts";

interface Job extends KubeObject {
  spec?: JobSpec;
  status?: {
    succeeded?: number;
    completedIndexes?: string;
    failedIndexes?: string;
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

/**
 * Sets the Job's selector, and adds the labels that it selects to the Job's pods. The labels contain the Job's UID, so they distinguish its
 * pods from all others.
 */
function generateSelector(job: Job): void {
  const jobSpec = spec(job);
  if (jobSpec.manualSelector || !jobSpec.template) return;
  const uid = job.metadata.uid ?? "";
  const labels: Record<string, string> = { ...jobSpec.template.metadata?.labels };
  labels["batch.kubernetes.io/controller-uid"] ??= uid;
  const name = job.metadata.name ?? ""; // a body may have no name
  labels["batch.kubernetes.io/job-name"] ??= name;
  labels["controller-uid"] ??= uid;
  labels["job-name"] ??= name;
  jobSpec.template.metadata = { ...jobSpec.template.metadata, labels };
  jobSpec.selector ??= {};
  jobSpec.selector = {
    ...jobSpec.selector,
    matchLabels: { ...jobSpec.selector.matchLabels, "batch.kubernetes.io/controller-uid": uid },
  };
}

/** Returns errors if a Job without `manualSelector` does not have the generated selector and labels. */
function generatedErrors(job: Job): FieldError[] {
  const { manualSelector, selector } = spec(job);
  if (manualSelector || !selector) return [];
  const { uid = "", name = "" } = job.metadata as { uid?: string; name?: string };
  const expected = {
    "controller-uid": uid,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
  const labels = spec(job).template?.metadata?.labels ?? {};
  const path = at.child("template", "metadata", "labels");
  const wrong = Object.entries(expected).flatMap(([label, value]) =>
    labels[label] === value
      ? []
      : labels[label] === undefined
        ? [fieldError.required(path.key(label), `must be '${value}'`)]
        : [fieldError.invalid(path.key(label), labels, `must be '${value}'`)],
  );
  if (selects(selector, expected)) return wrong;
  return [...wrong, fieldError.invalid(at.child("selector"), selector, "`selector` not auto-generated")];
}

/** Returns errors if the name of the last pod would be too long for a host name. */
function hostnameErrors(job: Job): FieldError[] {
  const { completionMode, completions = 0 } = spec(job);
  if (completionMode !== "Indexed" || completions <= 0) return [];
  const name = job.metadata.name ?? "";
  const hostname = `${name}-${completions - 1}`;
  return isDns1123Label(hostname).length === 0
    ? []
    : [
        fieldError.invalid(
          fieldPath("metadata", "name"),
          name,
          `will not able to create pod with invalid DNS label: ${hostname}`,
        ),
      ];
}

function specErrors(job: Job): FieldError[] {
  return [...validateJobSpec(spec(job), at), ...jobSelectorErrors(spec(job), at)];
}

function validate(job: Job): FieldError[] {
  return [...generatedErrors(job), ...specErrors(job), ...hostnameErrors(job)];
}

/**
 * Returns errors if the completions have changed. An indexed Job may be resized, but only if its completions and parallelism change
 * together.
 */
function completionsErrors(next: JobSpec, old: JobSpec): FieldError[] {
  const path = at.child("completions");
  const { completions } = next;
  if (next.completionMode !== "Indexed") return immutable(completions, old.completions, path);
  if (completions === old.completions) return [];
  if (completions === undefined) return [fieldError.required(path, "cannot be set to nil")];
  if (completions === next.parallelism) return [];
  return [fieldError.invalid(path, completions, "can only be modified in tandem with spec.parallelism")];
}

const templateChanges = (job: Job, old: Readonly<Job>): FieldError[] => {
  const [after, before] = [spec(job).template ?? {}, spec(old).template ?? {}];
  if (!old.spec?.suspend) return unchanged(after, before, at.child("template"));
  if (old.status?.startTime) return unchanged(after, before, at.child("template"));
  const { spec: pod = {} } = after;
  const open = ["nodeSelector", "tolerations", "schedulingGates", "affinity"] as const;
  const taken = Object.fromEntries(open.flatMap((name) => (pod[name] === undefined ? [] : [[name, pod[name]]])));
  const rest = Object.fromEntries(
    Object.entries(before.spec ?? {}).filter(([name]) => !open.some((each) => each === name)),
  );
  const resourcesOf = (which: "containers" | "initContainers"): unknown =>
    before.spec?.[which]?.map((container, i) => {
      const { resources: _resources, ...fixed } = container;
      const given = pod[which]?.[i]?.resources;
      return given === undefined ? fixed : { ...fixed, resources: given };
    });
  const expected = {
    ...rest,
    ...taken,
    containers: resourcesOf("containers"),
    ...(before.spec?.initContainers ? { initContainers: resourcesOf("initContainers") } : {}),
  };
  return unchanged(pod, expected, at.child("template.spec"));
};

/**
 * Returns the errors in the indexes in a Job's status. They must be ordered intervals below the number of completions.
 *
 * @see validateJobStatus
 */
function indexesErrors(job: Job, old: Readonly<Job>): FieldError[] {
  const { completions = 0 } = spec(job);
  return (["completedIndexes", "failedIndexes"] as const).flatMap((name) => {
    const text = job.status?.[name];
    if (!text || text === old.status?.[name]) return [];
    const parsed = indexesOf(text, completions);
    const path = fieldPath("status").child(name);
    return typeof parsed === "number" ? [] : [fieldError.invalid(path, text, `error parsing ${name}: ${parsed.wrong}`)];
  });
}

/** Strategy for Jobs. @see pkg/registry/batch/job strategy.go */
export const jobStrategy = defineStrategy<Job>({
  countsGeneration: true,
  defaultGarbageCollectionPolicy: "orphan",
  warningOnDefaultPropagation:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
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
    dropScheduling(job.spec);
    const { labels } = job.metadata;
    const isCopied = !labels || jsonEqual(labels, spec(job).template?.metadata?.labels ?? {});
    generateSelector(job);
    const generated = spec(job).template?.metadata?.labels;
    if (isCopied && generated && Object.keys(generated).length > 0) job.metadata.labels = { ...generated };
    job.status = {};
  },
  validate,
  prepareForUpdate: ({ spec }) => dropScheduling(spec),
  validateUpdate: (job, old) => [
    ...specErrors(job),
    ...completionsErrors(spec(job), spec(old)),
    ...immutable(spec(job).selector, spec(old).selector, at.child("selector")),
    ...templateChanges(job, old),
    ...immutable(spec(job).completionMode, spec(old).completionMode, at.child("completionMode")),
    ...unchanged(spec(job).podFailurePolicy, spec(old).podFailurePolicy, at.child("podFailurePolicy")),
    ...immutable(spec(job).backoffLimitPerIndex, spec(old).backoffLimitPerIndex, at.child("backoffLimitPerIndex")),
    ...immutable(spec(job).managedBy, spec(old).managedBy, at.child("managedBy")),
    ...unchanged(spec(job).successPolicy, spec(old).successPolicy, at.child("successPolicy")),
    ...hostnameErrors(job),
  ],
  validateStatusUpdate: indexesErrors,
  columns: [
    nameColumn,
    column("Status", statusCell),
    column("Completions", completionsCell),
    column("Duration", durationCell),
    ageColumn,
    ...containerColumns<Job>((job) => spec(job).template?.spec?.containers),
    column("Selector", (job) => selectorCell(spec(job).selector), { wide: true }),
  ],
  unknownFieldLabel: (field) => `field label ${quote(field)} not supported for Job`,
  selectableFields: {
    "status.successful": (job) => String(job.status?.succeeded ?? 0),
  },
});
