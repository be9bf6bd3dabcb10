import type { LabelSelectorSpec } from "@kubewright/apimachinery";
import type { PodTemplate } from "../pod/pod-types.ts";

/** A Job's specification. CronJobs contain it as a template. */
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
  podFailurePolicy?: FailurePolicy;
  successPolicy?: SuccessPolicy;
  managedBy?: string;
  manualSelector?: boolean;
  selector?: LabelSelectorSpec;
  template?: PodTemplate;
  scheduling?: unknown;
}

export interface ExitCodes {
  containerName?: string;
  operator?: string;
  values?: number[] | null;
}

export interface FailureRule {
  action?: string;
  onExitCodes?: ExitCodes;
  onPodConditions?: { type?: string; status?: string }[] | null;
}

export interface FailurePolicy {
  rules?: FailureRule[] | null;
}

export interface SuccessPolicy {
  rules?: { succeededIndexes?: string; succeededCount?: number }[] | null;
}
