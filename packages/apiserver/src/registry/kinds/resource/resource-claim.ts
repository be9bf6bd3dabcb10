import { type FieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { labelErrors } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { unchanged } from "../internal-form.ts";
import { applyClaimDefaults, claimErrors, type DeviceClaim } from "./device-claim.ts";

interface ClaimSpec {
  devices?: DeviceClaim;
}

interface ResourceClaim extends KubeObject {
  spec?: ClaimSpec;
  status?: { allocation?: unknown; reservedFor?: unknown[] };
}

interface ResourceClaimTemplate extends KubeObject {
  spec?: { metadata?: { labels?: Record<string, string> }; spec?: ClaimSpec };
}

const at = fieldPath("spec");

function stateCell({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const states = isDeleted ? ["deleted"] : [];
  if (!status?.allocation) return (isDeleted ? states : ["pending"]).join(",");
  states.push("allocated");
  if ((status.reservedFor ?? []).length > 0) states.push("reserved");
  return states.join(",");
}

/** @see pkg/registry/resource/resourceclaim strategy.go */
export const resourceClaimStrategy = defineStrategy<ResourceClaim>({
  statusIgnoresMetadata: "all",
  returnDeletedObject: true,
  applyDefaults({ spec }) {
    applyClaimDefaults(spec?.devices);
  },
  prepareForCreate(claim) {
    claim.status = {};
  },
  validate: ({ spec }) => claimErrors(spec?.devices ?? {}, at.child("devices")),
  validateUpdate: (next, old) => unchanged("ResourceClaimSpec", next.spec ?? {}, old.spec, at),
  columns: [nameColumn, column("State", stateCell), ageColumn],
});

const templateErrors = ({ spec }: ResourceClaimTemplate): FieldError[] => [
  ...labelErrors(spec?.metadata?.labels, at.child("metadata", "labels")),
  ...claimErrors(spec?.spec?.devices ?? {}, at.child("spec", "devices")),
];

/** @see pkg/registry/resource/resourceclaimtemplate strategy.go */
export const resourceClaimTemplateStrategy = defineStrategy<ResourceClaimTemplate>({
  returnDeletedObject: true,
  applyDefaults({ spec }) {
    applyClaimDefaults(spec?.spec?.devices);
  },
  validate: templateErrors,
  validateUpdate: (next, old) => [
    ...templateErrors(next),
    ...unchanged("ResourceClaimTemplateSpec", next.spec ?? {}, old.spec, at),
  ],
});
