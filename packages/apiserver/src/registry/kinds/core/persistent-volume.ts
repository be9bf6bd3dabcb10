import {
  type FieldError,
  fieldError,
  fieldPath,
  isPathSegmentName,
  type KubeObject,
  Quantity,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { messages, oneOf } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { accessModesCell } from "./access-modes.ts";
import { accessModes, volumeModes } from "./claim-spec.ts";

interface PersistentVolume extends KubeObject {
  spec?: {
    capacity?: Record<string, string | number>;
    accessModes?: string[];
    persistentVolumeReclaimPolicy?: string;
    volumeMode?: string;
    claimRef?: { namespace?: string; name?: string };
    storageClassName?: string;
    volumeAttributesClassName?: string;
    hostPath?: { path?: string; type?: string };
    [source: string]: unknown;
  };
  status?: { phase?: string; reason?: string; lastPhaseTransitionTime?: string };
}

const at = fieldPath("spec");
const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const sources = new Set([
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephfs",
  "cinder",
  "csi",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "glusterfs",
  "hostPath",
  "iscsi",
  "local",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
]);

function validate({ metadata, spec = {} }: PersistentVolume): FieldError[] {
  const modes = spec.accessModes ?? [];
  const { capacity = {} } = spec;
  const given = Object.keys(spec).filter((key) => sources.has(key));
  const storage = capacity.storage;
  return [
    ...messages(metadata.name, isPathSegmentName(metadata.name), fieldPath("metadata", "name")),
    ...(modes.length === 0 ? [fieldError.required(at.child("accessModes"))] : []),
    ...modes.flatMap((mode) =>
      accessModes.includes(mode) ? [] : [fieldError.notSupported(at.child("accessModes"), mode, accessModes)],
    ),
    ...(Object.keys(capacity).length === 0 ? [fieldError.required(at.child("capacity"))] : []),
    ...(storage === undefined
      ? [fieldError.notSupported(at.child("capacity"), spec.capacity ?? null, ["storage"])]
      : Quantity.parse(storage).nanos <= 0n
        ? [
            fieldError.invalid(
              at.child("capacity").key("storage"),
              Quantity.parse(storage).toString(),
              "must be greater than zero",
            ),
          ]
        : []),
    ...oneOf(spec.persistentVolumeReclaimPolicy, reclaimPolicies, at.child("persistentVolumeReclaimPolicy")),
    ...(given.length === 0 ? [fieldError.required(at, "must specify a volume type")] : []),
    ...given
      .slice(1)
      .map((source) => fieldError.forbidden(at.child(source), "may not specify more than 1 volume type")),
    ...(spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode)
      ? [fieldError.notSupported(at.child("volumeMode"), spec.volumeMode, volumeModes)]
      : []),
  ];
}

/** @see pkg/registry/core/persistentvolume strategy.go */
export const persistentVolumeStrategy = defineStrategy<PersistentVolume>({
  returnDeletedObject: true,
  applyDefaults(volume) {
    volume.spec ??= {};
    volume.spec.persistentVolumeReclaimPolicy ||= "Retain";
    volume.spec.volumeMode ??= "Filesystem";
    if (volume.spec.hostPath) volume.spec.hostPath.type ??= "";
  },
  prepareForCreate(volume, { nowMs }) {
    volume.status = {
      phase: "Pending",
      lastPhaseTransitionTime: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
    };
  },
  validate,
  columns: [
    nameColumn,
    column("Capacity", ({ spec }) => Quantity.parse(spec?.capacity?.storage ?? "0").toString()),
    column("Access Modes", ({ spec }) => accessModesCell(spec?.accessModes)),
    column("Reclaim Policy", ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ""),
    column("Status", ({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? ""))),
    column("Claim", ({ spec }) =>
      spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : "",
    ),
    column("StorageClass", ({ spec }) => spec?.storageClassName ?? ""),
    column("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
    column("Reason", ({ status }) => status?.reason ?? ""),
    ageColumn,
    column("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>", { wide: true }),
  ],
});
