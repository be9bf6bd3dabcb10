import { type FieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, labelErrors, nameColumn } from "@kubewright/apiserver/registry";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { unchanged } from "../unchanged.ts";
import { applyClaimDefaults, claimErrors, type DeviceClaim, declaredClaimFields } from "./device-claim.ts";

interface ClaimSpec {
  devices?: DeviceClaim;
}

interface DeviceId {
  driver?: string;
  pool?: string;
  device?: string;
  shareID?: string;
}

interface ResourceClaim extends KubeObject {
  spec?: ClaimSpec;
  status?: { allocation?: { devices?: { results?: DeviceId[] } }; reservedFor?: unknown[]; devices?: DeviceId[] };
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

/** Removes devices that are no longer allocated from the status of a claim. @see dropDeallocatedStatusDevices */
function dropDeallocated(next: ResourceClaim, old: ResourceClaim): void {
  const keyOf = ({ driver, pool, device, shareID }: DeviceId): string =>
    JSON.stringify([driver, pool, device, shareID]);
  const allocated = ({ status }: ResourceClaim): Set<string> =>
    new Set((status?.allocation?.devices?.results ?? []).map(keyOf));
  const gone = allocated(old).difference(allocated(next));
  if (!next.status?.devices || gone.size === 0) return;
  const left = next.status.devices.filter((device) => !gone.has(keyOf(device)));
  if (left.length > 0) next.status.devices = left;
  else delete next.status.devices;
}

/** Strategy for ResourceClaims. @see pkg/registry/resource/resourceclaim strategy.go */
export const resourceClaimStrategy = defineStrategy<ResourceClaim>({
  declaredFields: ["spec", ...declaredClaimFields("spec.devices")],
  statusIgnoresMetadata: "all",
  returnDeletedObject: true,
  applyDefaults({ spec }) {
    applyClaimDefaults(spec?.devices);
  },
  prepareForCreate(claim) {
    claim.status = {};
  },
  prepareForStatusUpdate: dropDeallocated,
  validate: ({ spec }) => claimErrors(spec?.devices ?? {}, at.child("devices")),
  validateUpdate: (next, old) => unchanged(next.spec ?? {}, old.spec, at),
  columns: [nameColumn, column("State", stateCell), ageColumn],
});

const templateErrors = ({ spec }: ResourceClaimTemplate): FieldError[] => [
  ...labelErrors(spec?.metadata?.labels, at.child("metadata", "labels")),
  ...claimErrors(spec?.spec?.devices ?? {}, at.child("spec", "devices")),
];

/** Strategy for ResourceClaimTemplates. @see pkg/registry/resource/resourceclaimtemplate strategy.go */
export const resourceClaimTemplateStrategy = defineStrategy<ResourceClaimTemplate>({
  declaredFields: declaredClaimFields("spec.spec.devices"),
  returnDeletedObject: true,
  applyDefaults({ spec }) {
    applyClaimDefaults(spec?.spec?.devices);
  },
  validate: templateErrors,
  validateUpdate: (next, old) => [...templateErrors(next), ...unchanged(next.spec ?? {}, old.spec, at)],
});
