import { fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, createdAtColumn, nameColumn } from "../../table-columns.ts";
import { immutable } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface CSIDriver extends KubeObject {
  spec?: {
    attachRequired?: boolean;
    podInfoOnMount?: boolean;
    storageCapacity?: boolean;
    fsGroupPolicy?: string;
    requiresRepublish?: boolean;
    seLinuxMount?: boolean;
    volumeLifecycleModes?: string[];
    tokenRequests?: { audience: string }[];
  };
}

/** @see pkg/registry/storage/csidriver strategy.go */
export const csiDriverStrategy = defineStrategy<CSIDriver>({
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  applyDefaults(driver) {
    driver.spec ??= {};
    const { spec } = driver;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    spec.volumeLifecycleModes ??= ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  columns: [
    nameColumn,
    column("AttachRequired", ({ spec }) => spec?.attachRequired ?? true, { type: "boolean" }),
    column("PodInfoOnMount", ({ spec }) => spec?.podInfoOnMount ?? false, { type: "boolean" }),
    column("StorageCapacity", ({ spec }) => spec?.storageCapacity ?? false, { type: "boolean" }),
    column("TokenRequests", ({ spec }) =>
      spec?.tokenRequests ? spec.tokenRequests.map(({ audience }) => audience).join(",") : "<unset>",
    ),
    column("RequiresRepublish", ({ spec }) => spec?.requiresRepublish ?? false, { type: "boolean" }),
    column("Modes", ({ spec }) => (spec?.volumeLifecycleModes ?? []).join(",") || "<none>"),
    ageColumn,
  ],
});

interface CSINode extends KubeObject {
  spec?: { drivers?: unknown[] };
}

/** @see pkg/registry/storage/csinode strategy.go */
export const csiNodeStrategy = defineStrategy<CSINode>({
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  columns: [nameColumn, column("Drivers", ({ spec }) => spec?.drivers?.length ?? 0, { type: "integer" }), ageColumn],
});

/** @see pkg/registry/storage/csistoragecapacity strategy.go */
export const csiStorageCapacityStrategy = defineStrategy<KubeObject>({
  allowUnconditionalUpdate: false,
  columns: [nameColumn, createdAtColumn],
});

interface VolumeAttachment extends KubeObject {
  spec?: { attacher?: string; nodeName?: string; source?: { persistentVolumeName?: string } };
  status?: { attached: boolean };
}

/** @see pkg/registry/storage/volumeattachment strategy.go */
export const volumeAttachmentStrategy = defineStrategy<VolumeAttachment>({
  statusIgnoresMetadata: "all",
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  prepareForCreate(attachment) {
    attachment.status = { attached: false };
  },
  validate: ({ spec }) => [
    ...(spec?.attacher ? [] : [fieldError.required("spec.attacher")]),
    ...(spec?.nodeName ? [] : [fieldError.required("spec.nodeName")]),
  ],
  columns: [
    nameColumn,
    { ...column<VolumeAttachment>("Attacher", ({ spec }) => spec?.attacher ?? ""), format: "name" },
    column("PV", ({ spec }) => spec?.source?.persistentVolumeName ?? ""),
    column("Node", ({ spec }) => spec?.nodeName ?? ""),
    column("Attached", ({ status }) => status?.attached ?? false, { type: "boolean" }),
    ageColumn,
  ],
});

interface VolumeAttributesClass extends KubeObject {
  driverName?: string;
  parameters?: Record<string, string>;
}

/** @see pkg/registry/storage/volumeattributesclass strategy.go */
export const volumeAttributesClassStrategy = defineStrategy<VolumeAttributesClass>({
  returnDeletedObject: true,
  validate: ({ driverName, parameters = {} }) => [
    ...(driverName ? [] : [fieldError.required("driverName")]),
    ...(Object.keys(parameters).length > 0
      ? []
      : [fieldError.required("parameters", "must contain at least one key/value pair")]),
  ],
  validateUpdate: (next, old) => [
    ...immutable(next.driverName, old.driverName, fieldPath("driverName")),
    ...immutable(next.parameters, old.parameters, fieldPath("parameters")),
  ],
  columns: [nameColumn, column("DriverName", ({ driverName }) => driverName ?? ""), ageColumn],
});
