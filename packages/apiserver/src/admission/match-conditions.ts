import type { GroupVersionKind, GroupVersionResource, Unstructured } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../registry/resource.ts";
import type { AdmissionAttributes } from "./admission.ts";

/** An expression that must be true for a webhook or policy to apply. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** A request as a webhook or policy receives it: its objects are in the version that the webhook or policy matched. */
interface SeenRequest {
  readonly attributes: AdmissionAttributes;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly object: Unstructured | undefined;
  readonly oldObject: ReadonlyObject | undefined;
}

/**
 * Result of evaluating match conditions. `matches` is true if all conditions are true. `error` is set if a condition
 * cannot be evaluated, no other condition is false, and the failure policy is `Fail`.
 */
export interface MatchOutcome {
  readonly matches: boolean;
  readonly error?: string | undefined;
}

export type MatchConditionEvaluator = (
  conditions: readonly MatchCondition[],
  failurePolicy: "Fail" | "Ignore",
  seen: SeenRequest,
) => Promise<MatchOutcome> | MatchOutcome;
