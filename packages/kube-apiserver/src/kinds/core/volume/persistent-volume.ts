import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  jsonEqual,
  type KubeObject,
  Quantity,
  semanticEqual,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, messages, oneOf } from "../../checks.ts";
import { column } from "../../columns.ts";
import { defineStrategy } from "../../define-strategy.ts";
import { hostPathErrors } from "../../pod/host-path-validation.ts";
import { type NodeSelector, nodeSelectorErrors } from "../../pod/node-selector-validation.ts";
import { driverNameErrors } from "../../storage/csi-validation.ts";
import { whatChanged } from "../../unchanged.ts";
import { accessModesCell } from "./access-modes.ts";
import { accessModes, volumeModes } from "./claim-spec.ts";

interface SecretReference {
  name?: string;
  namespace?: string;
}

interface CsiSource {
  driver?: string;
  volumeHandle?: string;
  controllerPublishSecretRef?: SecretReference;
  controllerExpandSecretRef?: SecretReference;
  nodePublishSecretRef?: SecretReference;
  nodeExpandSecretRef?: SecretReference;
}

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
    csi?: CsiSource;
    nodeAffinity?: { required?: NodeSelector };
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

function csiErrors(csi: CsiSource, where: FieldPath): FieldError[] {
  const references = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const;
  return [
    ...driverNameErrors(csi.driver ?? "", where.child("driver")),
    ...(csi.volumeHandle ? [] : [fieldError.required(where.child("volumeHandle"))]),
    ...references.flatMap((reference) => {
      const secret = csi[reference];
      if (!secret) return [];
      return (["name", "namespace"] as const).flatMap((field) => {
        const path = where.child(reference, field);
        const value = secret[field] ?? "";
        if (value === "") return [fieldError.required(path)];
        return messages(value, field === "name" ? isDns1123Subdomain(value) : isDns1123Label(value), path);
      });
    }),
  ];
}

const affinityErrors = ({ required }: { required?: NodeSelector }, where: FieldPath): FieldError[] =>
  required
    ? nodeSelectorErrors(required, where.child("required"))
    : [fieldError.required(where.child("required"), "must specify required node constraints")];

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
    ...(storage === undefined || Object.keys(capacity).length > 1
      ? [fieldError.notSupported(at.child("capacity"), spec.capacity ?? null, ["storage"])]
      : []),
    ...Object.entries(capacity).flatMap(([name, quantity]) =>
      Quantity.parse(quantity).nanos <= 0n
        ? [
            fieldError.invalid(
              at.child("capacity").key(name),
              Quantity.parse(quantity).toString(),
              "must be greater than zero",
            ),
          ]
        : [],
    ),
    ...oneOf(spec.persistentVolumeReclaimPolicy, reclaimPolicies, at.child("persistentVolumeReclaimPolicy")),
    ...(spec.nodeAffinity ? affinityErrors(spec.nodeAffinity, at.child("nodeAffinity")) : []),
    ...(spec.hostPath ? hostPathErrors(spec.hostPath, at.child("hostPath")) : []),
    ...(spec.csi ? csiErrors(spec.csi, at.child("csi")) : []),
    ...(given.length === 0 ? [fieldError.required(at, "must specify a volume type")] : []),
    ...given
      .slice(1)
      .map((source) => fieldError.forbidden(at.child(source), "may not specify more than 1 volume type")),
    ...(spec.storageClassName
      ? messages(spec.storageClassName, isDns1123Subdomain(spec.storageClassName), at.child("storageClassName"))
      : []),
    ...(spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode)
      ? [fieldError.notSupported(at.child("volumeMode"), spec.volumeMode, volumeModes)]
      : []),
  ];
}

const sourceOf = (spec: object): object =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => sources.has(name)));

/** Returns errors for changes to a volume that are not permitted. For example, its source cannot change. */
function changeErrors({ spec = {} }: PersistentVolume, { spec: old = {} }: Readonly<PersistentVolume>): FieldError[] {
  const [source, before] = [sourceOf(spec), sourceOf(old)];
  return [
    ...(semanticEqual(source, before)
      ? []
      : [
          fieldError.forbidden(
            at.child("persistentvolumesource"),
            `spec.persistentvolumesource is immutable after creation\n${whatChanged(before, source)}`,
          ),
        ]),
    ...immutable(spec.volumeMode, old.volumeMode, fieldPath("volumeMode")),
    ...(old.nodeAffinity && !jsonEqual(spec.nodeAffinity ?? null, old.nodeAffinity)
      ? [
          fieldError.invalid(
            fieldPath("nodeAffinity"),
            spec.nodeAffinity ?? null,
            "field is immutable, except for updating from beta label to GA",
          ),
        ]
      : []),
  ];
}

/** Strategy for PersistentVolumes. @see pkg/registry/core/persistentvolume strategy.go */
export const persistentVolumeStrategy = defineStrategy<PersistentVolume>({
  returnDeletedObject: true,
  applyDefaults(volume) {
    volume.spec ??= {};
    volume.spec.persistentVolumeReclaimPolicy ||= "Retain";
    volume.spec.volumeMode ??= "Filesystem";
    volume.status = { ...volume.status, phase: volume.status?.phase || "Pending" };
    if (volume.spec.hostPath) volume.spec.hostPath.type ??= "";
  },
  prepareForCreate(volume, { nowMs }) {
    volume.status = {
      phase: "Pending",
      lastPhaseTransitionTime: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
    };
  },
  validate,
  validateUpdate: (volume, old) => [...validate(volume), ...validate(volume), ...changeErrors(volume, old)],
  prepareForStatusUpdate(volume, old, { nowMs }) {
    const { status = {} } = volume;
    if (status.phase !== old.status?.phase)
      status.lastPhaseTransitionTime ??= `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
    else if (old.status?.lastPhaseTransitionTime && !status.lastPhaseTransitionTime)
      status.lastPhaseTransitionTime = old.status.lastPhaseTransitionTime;
    volume.status = status;
  },
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
