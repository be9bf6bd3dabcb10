import type { GroupVersionKind, GroupVersionResource, Unstructured } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../registry/resource.ts";
import type { AdmissionAttributes } from "./admission.ts";

/** An expression that must be true for a webhook or policy to be asked. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** A request in the version that a webhook or policy asked for. */
interface SeenRequest {
  readonly attributes: AdmissionAttributes;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly object: Unstructured | undefined;
  readonly oldObject: ReadonlyObject | undefined;
}

/** Whether all conditions hold; `error` where some cannot be evaluated, none is false, and failures are to be heard of. */
export interface MatchOutcome {
  readonly matches: boolean;
  readonly error?: string;
}

export type MatchConditionEvaluator = (
  conditions: readonly MatchCondition[],
  failurePolicy: "Fail" | "Ignore",
  seen: SeenRequest,
) => Promise<MatchOutcome> | MatchOutcome;
