import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import { domainPrefixedPathErrors, nonNegative, selectorErrors, selects } from "../checks.ts";
import { applyPodTemplateDefaults } from "../pod/pod-defaults.ts";
import { validatePodTemplate } from "../pod/pod-validation.ts";
import { failurePolicyErrors, successPolicyErrors } from "./job-policies.ts";
import type { JobSpec } from "./job-types.ts";

/** Sets the defaults in a Job's specification. @see pkg/apis/batch/v1 SetDefaults_Job */
export function applyJobSpecDefaults(spec: JobSpec): void {
  applyPodTemplateDefaults(spec.template);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  spec.completionMode ||= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions ?? []) pattern.status ||= "True";
}

/** Returns the errors in a Job's specification. @see pkg/apis/batch/validation validateJobSpec */
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
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [fieldError.required(at.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified")]
      : []),
    ...managerErrors(spec.managedBy, at.child("managedBy")),
    ...(isIndexed && spec.completions === undefined
      ? [fieldError.required(at.child("completions"), "when completion mode is Indexed")]
      : []),
    ...(isIndexed ? limitErrors(spec, at) : []),
    ...(completionMode === "NonIndexed" && spec.backoffLimitPerIndex !== undefined
      ? [
          fieldError.invalid(
            at.child("backoffLimitPerIndex"),
            spec.backoffLimitPerIndex,
            "requires indexed completion mode",
          ),
        ]
      : []),
    ...(completionMode === "NonIndexed" && spec.maxFailedIndexes !== undefined
      ? [fieldError.invalid(at.child("maxFailedIndexes"), spec.maxFailedIndexes, "requires indexed completion mode")]
      : []),
    ...(spec.podFailurePolicy ? failurePolicyErrors(spec.podFailurePolicy, spec, at.child("podFailurePolicy")) : []),
    ...successErrors(spec, isIndexed, at.child("successPolicy")),
    ...replacementErrors(spec, at.child("podReplacementPolicy")),
    ...validatePodTemplate(spec.template, at.child("template")),
    ...restartErrors(
      spec.template?.spec?.restartPolicy ?? "",
      spec.podFailurePolicy !== undefined,
      at.child("template", "spec", "restartPolicy"),
    ),
  ];
}

const replacementPolicies = ["Failed", "TerminatingOrFailed"];
const longestManager = 63;
const maxParallel = 100_000;

function managerErrors(managedBy: string | undefined, at: FieldPath): FieldError[] {
  if (managedBy === undefined) return [];
  return [
    ...domainPrefixedPathErrors(managedBy, at),
    ...(managedBy.length > longestManager ? [fieldError.tooLong(at, longestManager)] : []),
  ];
}

function limitErrors({ parallelism, completions, maxFailedIndexes }: JobSpec, at: FieldPath): FieldError[] {
  const [parallel, failed] = [at.child("parallelism"), at.child("maxFailedIndexes")];
  return [
    ...(parallelism !== undefined && parallelism > maxParallel
      ? [
          fieldError.invalid(
            parallel,
            parallelism,
            `must be less than or equal to ${maxParallel} when completion mode is Indexed`,
          ),
        ]
      : []),
    ...(completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions
      ? [fieldError.invalid(failed, maxFailedIndexes, "must be less than or equal to completions")]
      : []),
    ...(maxFailedIndexes !== undefined && maxFailedIndexes > maxParallel
      ? [fieldError.invalid(failed, maxFailedIndexes, `must be less than or equal to ${maxParallel}`)]
      : []),
  ];
}

function successErrors({ successPolicy, completions = 0 }: JobSpec, isIndexed: boolean, at: FieldPath): FieldError[] {
  if (!successPolicy) return [];
  if (!isIndexed) return [fieldError.invalid(at, successPolicy, "requires indexed completion mode")];
  return successPolicyErrors(successPolicy, completions, at);
}

/** Returns errors in the pod replacement policy. If the Job has a failure policy, pods may be replaced only once they have failed. */
function replacementErrors({ podReplacementPolicy: policy, podFailurePolicy }: JobSpec, at: FieldPath): FieldError[] {
  const supported = podFailurePolicy ? ["Failed"] : replacementPolicies;
  return policy === undefined || supported.includes(policy) ? [] : [fieldError.notSupported(at, policy, supported)];
}

const restartPolicies = ["OnFailure", "Never"];

function restartErrors(policy: string, hasFailurePolicy: boolean, at: FieldPath): FieldError[] {
  if (policy === "OnFailure" && hasFailurePolicy)
    return [fieldError.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')];
  if (policy === "" || policy === "Always") return [fieldError.required(at, 'valid values: "OnFailure", "Never"')];
  return restartPolicies.includes(policy) ? [] : [fieldError.notSupported(at, policy, restartPolicies)];
}

/** Checks that the Job's labels match its selector. */
export function jobSelectorErrors(spec: JobSpec, at: FieldPath): FieldError[] {
  const { selector, template } = spec;
  return [
    ...(selector ? selectorErrors(selector, at.child("selector")) : [fieldError.required(at.child("selector"))]),
    ...(selector && selects(selector, template?.metadata?.labels)
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
