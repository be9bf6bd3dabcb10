import {
  type FieldError,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  jsonEqual,
  type KubeObject,
  type LabelSelectorSpec,
  Quantity,
} from "@kubewright/apimachinery";
import { ageColumn, createdAtColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, messages, selectorErrors } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { unchanged } from "../unchanged.ts";
import { type CSIDriverSpec, type CSINodeDriver, validateDriver, validateNodeDrivers } from "./csi-validation.ts";

interface CSIDriver extends KubeObject {
  spec?: CSIDriverSpec;
}

const at = fieldPath("spec");
const inSecrets =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

const tokenWarnings = (spec: CSIDriverSpec | undefined): string[] =>
  spec?.tokenRequests?.length && spec.serviceAccountTokenInSecrets === undefined ? [inSecrets] : [];

/** Strategy for CSIDrivers. @see pkg/registry/storage/csidriver strategy.go */
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
    spec.preventPodSchedulingIfMissing ??= false;
  },
  validate: ({ spec }) => validateDriver(spec ?? {}),
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => [
    ...validateDriver(spec),
    ...immutable(spec.attachRequired, old.attachRequired, at.child("attachedRequired")),
    ...immutable(spec.volumeLifecycleModes, old.volumeLifecycleModes, at.child("volumeLifecycleModes")),
  ],
  prepareForUpdate(driver, old) {
    // like upstream, the generation of this kind starts at zero
    if (!jsonEqual(driver.spec ?? {}, old.spec ?? {})) driver.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  warningsOnCreate: ({ spec }) => tokenWarnings(spec),
  warningsOnUpdate: ({ spec }, { spec: old }) =>
    jsonEqual(spec?.tokenRequests ?? [], old?.tokenRequests ?? []) ? [] : tokenWarnings(spec),
  columns: [
    nameColumn,
    column("AttachRequired", ({ spec }) => spec?.attachRequired ?? true, { type: "boolean" }),
    column("PodInfoOnMount", ({ spec }) => spec?.podInfoOnMount ?? false, { type: "boolean" }),
    column("StorageCapacity", ({ spec }) => spec?.storageCapacity ?? false, { type: "boolean" }),
    column("TokenRequests", ({ spec }) =>
      spec?.tokenRequests ? spec.tokenRequests.map(({ audience }) => audience ?? "").join(",") : "<unset>",
    ),
    column("RequiresRepublish", ({ spec }) => spec?.requiresRepublish ?? false, { type: "boolean" }),
    column("Modes", ({ spec }) => (spec?.volumeLifecycleModes ?? []).join(",") || "<none>"),
    ageColumn,
  ],
});

interface CSINode extends KubeObject {
  spec?: { drivers?: CSINodeDriver[] | null };
  status?: { storageHealth?: unknown };
}

/** Returns the part of a node's driver that may not change. The maximum number of volumes may change. */
const fixed = ({ allocatable: _allocatable, ...rest }: CSINodeDriver): unknown => rest;

/** Drops the health of the storage, because the feature CSIVolumeHealth is disabled by default. */
function dropHealth({ status }: CSINode): void {
  delete status?.storageHealth;
}

/** Strategy for CSINodes. @see pkg/registry/storage/csinode strategy.go */
export const csiNodeStrategy = defineStrategy<CSINode>({
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  statusIgnoresMetadata: "all",
  prepareForStatusUpdate: dropHealth,
  validate: ({ spec }) => validateNodeDrivers(spec?.drivers ?? []),
  validateUpdate: ({ spec }, { spec: old }) => [
    ...validateNodeDrivers(spec?.drivers ?? []),
    ...(old?.drivers ?? []).flatMap((before) =>
      (spec?.drivers ?? [])
        .filter(({ name }) => name === before.name)
        .flatMap((driver) => unchanged(fixed(driver), fixed(before), at.child("drivers"))),
    ),
  ],
  columns: [nameColumn, column("Drivers", ({ spec }) => spec?.drivers?.length ?? 0, { type: "integer" }), ageColumn],
});

interface CSIStorageCapacity extends KubeObject {
  storageClassName?: string;
  capacity?: string;
  nodeTopology?: LabelSelectorSpec;
}

function validateCapacity({ nodeTopology, storageClassName = "", capacity }: CSIStorageCapacity): FieldError[] {
  return [
    ...selectorErrors(nodeTopology, fieldPath("nodeTopology")),
    ...messages(storageClassName, isDns1123Subdomain(storageClassName), fieldPath("storageClassName")),
    ...(capacity !== undefined && Quantity.parse(capacity).nanos < 0n
      ? [fieldError.invalid("capacity", capacity, "must be greater than or equal to 0")]
      : []),
  ];
}

/** Strategy for CSIStorageCapacities. @see pkg/registry/storage/csistoragecapacity strategy.go */
export const csiStorageCapacityStrategy = defineStrategy<CSIStorageCapacity>({
  allowUnconditionalUpdate: false,
  validate: validateCapacity,
  validateUpdate: (next, old) => [
    ...validateCapacity(next),
    ...immutable(next.nodeTopology, old.nodeTopology, fieldPath("nodeTopology")),
    ...immutable(next.storageClassName ?? "", old.storageClassName ?? "", fieldPath("storageClassName")),
  ],
  columns: [nameColumn, createdAtColumn],
});
