import { type FieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
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

function dropCoordination({ spec }: Lease): void {
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

function validate({ spec = {} }: Lease): FieldError[] {
  const at = fieldPath("spec");
  return [
    ...positive(spec.leaseDurationSeconds, at.child("leaseDurationSeconds")),
    ...nonNegative(spec.leaseTransitions, at.child("leaseTransitions")),
  ];
}

/** Strategy for Leases. @see pkg/registry/coordination/lease strategy.go */
export const leaseStrategy = defineStrategy<Lease>({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  // Coordinated leader election is disabled by default.
  prepareForCreate: dropCoordination,
  prepareForUpdate: dropCoordination,
  validate,
  columns: [nameColumn, column("Holder", ({ spec }) => spec?.holderIdentity ?? ""), ageColumn],
});
