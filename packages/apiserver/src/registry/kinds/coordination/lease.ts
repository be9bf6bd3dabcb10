import { type FieldError, fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { nonNegative, positive } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    leaseTransitions?: number;
    strategy?: string;
    preferredHolder?: string;
  };
}

function validate({ spec = {} }: Lease): FieldError[] {
  const at = fieldPath("spec");
  return [
    ...positive(spec.leaseDurationSeconds, at.child("leaseDurationSeconds")),
    ...nonNegative(spec.leaseTransitions, at.child("leaseTransitions")),
    ...(spec.preferredHolder && !spec.strategy
      ? [fieldError.forbidden(at.child("preferredHolder"), "may only be specified if `strategy` is defined")]
      : []),
  ];
}

/** @see pkg/registry/coordination/lease strategy.go */
export const leaseStrategy = defineStrategy<Lease>({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate,
  columns: [nameColumn, column("Holder", ({ spec }) => spec?.holderIdentity ?? ""), ageColumn],
});
