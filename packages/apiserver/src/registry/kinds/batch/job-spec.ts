import { type FieldError, type FieldPath, fieldError, type LabelSelectorSpec } from "@kubewright/apimachinery";
import { nonNegative, selectorErrors, selects } from "../checks.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import type { PodTemplate } from "../pod/pod-types.ts";
import { validatePodTemplate } from "../pod/pod-validation.ts";

/** What a Job is told to do; also part of CronJobs. */
export interface JobSpec {
  parallelism?: number;
  completions?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: unknown;
  successPolicy?: unknown;
  manualSelector?: boolean;
  selector?: LabelSelectorSpec;
  template?: PodTemplate;
}

/** @see pkg/apis/batch/v1 SetDefaults_Job */
export function applyJobSpecDefaults(spec: JobSpec): void {
  applyPodTemplateDefaults(spec.template);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  spec.completionMode ||= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
}

/** @see pkg/apis/batch/validation validateJobSpec */
export function validateJobSpec(spec: JobSpec, at: FieldPath): FieldError[] {
  const numbers = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const;
  const { completionMode = "NonIndexed" } = spec;
  const isIndexed = completionMode === "Indexed";
  return [
    ...numbers.flatMap((field) => nonNegative(spec[field], at.child(field))),
    ...(["NonIndexed", "Indexed"].includes(completionMode)
      ? []
      : [fieldError.notSupported(at.child("completionMode"), completionMode, ["NonIndexed", "Indexed"])]),
    ...(isIndexed && spec.completions === undefined
      ? [fieldError.required(at.child("completions"), "when completion mode is Indexed")]
      : []),
    ...(completionMode === "NonIndexed" && spec.backoffLimitPerIndex !== undefined
      ? [
          fieldError.invalid(
            at.child("backoffLimitPerIndex"),
            spec.backoffLimitPerIndex,
            "requires indexed completion mode",
          ),
        ]
      : []),
    ...validatePodTemplate(spec.template, at.child("template")),
    ...restartErrors(spec.template?.spec?.restartPolicy ?? "", at.child("template", "spec", "restartPolicy")),
  ];
}

const restartPolicies = ["OnFailure", "Never"];

function restartErrors(policy: string, at: FieldPath): FieldError[] {
  if (policy === "" || policy === "Always") return [fieldError.required(at, 'valid values: "OnFailure", "Never"')];
  return restartPolicies.includes(policy) ? [] : [fieldError.notSupported(at, policy, restartPolicies)];
}

/** The selector of a Job, which its own labels must meet. */
export function jobSelectorErrors(spec: JobSpec, at: FieldPath): FieldError[] {
  const { selector, template } = spec;
  if (!selector) return [fieldError.required(at.child("selector"))];
  return [
    ...selectorErrors(selector, at.child("selector")),
    ...(selects(selector, template?.metadata?.labels)
      ? []
      : [
          fieldError.invalid(
            at.child("template", "metadata", "labels"),
            template?.metadata?.labels ?? null,
            "`selector` does not match template `labels`",
          ),
        ]),
  ];
}
