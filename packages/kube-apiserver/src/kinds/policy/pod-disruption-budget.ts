import {
  type FieldError,
  fieldError,
  fieldPath,
  type KubeObject,
  type LabelSelectorSpec,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { atMostAll, type IntOrString, intOrPercent, selectorErrors } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface PodDisruptionBudget extends KubeObject {
  spec?: {
    minAvailable?: IntOrString;
    maxUnavailable?: IntOrString;
    selector?: LabelSelectorSpec;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: {
    disruptionsAllowed: number;
    currentHealthy: number;
    desiredHealthy: number;
    expectedPods: number;
  };
}

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

function validate({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const at = fieldPath("spec");
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = spec;
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [fieldError.invalid(at, spec, "minAvailable and maxUnavailable cannot be both set")]
      : []),
    ...intOrPercent(minAvailable, at.child("minAvailable")),
    ...atMostAll(minAvailable, at.child("minAvailable")),
    ...intOrPercent(maxUnavailable, at.child("maxUnavailable")),
    ...atMostAll(maxUnavailable, at.child("maxUnavailable")),
    ...selectorErrors(spec.selector, at.child("selector")),
    ...(unhealthyPodEvictionPolicy !== undefined && !evictionPolicies.includes(unhealthyPodEvictionPolicy)
      ? [fieldError.notSupported(at.child("unhealthyPodEvictionPolicy"), unhealthyPodEvictionPolicy, evictionPolicies)]
      : []),
  ];
}

/** Strategy for PodDisruptionBudgets. @see pkg/registry/policy/poddisruptionbudget strategy.go */
export const podDisruptionBudgetStrategy = defineStrategy<PodDisruptionBudget>({
  countsGeneration: true,
  nameRule: "pathSegment",
  allowUnconditionalUpdate: false,
  prepareForCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validate,
  columns: [
    nameColumn,
    column("Min Available", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
    column("Max Unavailable", ({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
    column("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed ?? 0, { type: "integer" }),
    ageColumn,
  ],
});
