import type { GroupVersionKind, GroupVersionResource, Unstructured } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../registry/resource.ts";
import type { AdmissionAttributes } from "./admission.ts";

/** An expression that must be true for a webhook or policy to apply. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** A request, with its objects in the version that a webhook or policy matched. */
interface SeenRequest {
  readonly attributes: AdmissionAttributes;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly object: Unstructured | undefined;
  readonly oldObject: ReadonlyObject | undefined;
}

/**
 * Result of match conditions. `matches` is true if all conditions hold. `error` is set if no condition is false, but some cannot be
 * evaluated and the failure policy is `Fail`.
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
