import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import type { StrategyContext } from "@kubewright/apiserver/registry";
import { ageCell, ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { rfc3339 } from "@kubewright/clock";
import { immutable, messages, oneOf, type StatusCondition, statusConditionErrors } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { type NodeSelector, nodeSelectorErrors } from "../pod/node-selector-validation.ts";
import { driverNameErrors } from "../storage/csi-validation.ts";
import { qualifiedNameErrors } from "./qualified-name.ts";

interface ResourceSlice extends KubeObject {
  spec?: {
    driver?: string;
    pool?: { name?: string; generation?: number; resourceSliceCount?: number };
    nodeName?: string;
    nodeSelector?: NodeSelector;
    allNodes?: boolean;
    perDeviceNodeSelection?: boolean;
    devices?: Device[];
  };
}

/** A taint of devices. */
interface DeviceTaint {
  key?: string;
  value?: string;
  effect?: string;
  timeAdded?: string;
}

interface Device {
  name?: string;
  attributes?: Record<string, Partial<Record<(typeof kindsOfValue)[number], unknown>>>;
  taints?: DeviceTaint[];
}

const at = fieldPath("spec");

function validate(slice: ResourceSlice, changes: readonly FieldError[] = []): FieldError[] {
  const { driver = "", pool = {}, devices = [], ...spec } = slice.spec ?? {};
  const count = pool.resourceSliceCount ?? 0;
  const names = new Set<string>();
  return [
    ...driverNameErrors(driver, at.child("driver")),
    ...poolNameErrors(pool.name ?? "", at.child("pool", "name")),
    ...(count > 0
      ? []
      : [fieldError.invalid(at.child("pool", "resourceSliceCount"), count, "must be greater than zero")]),
    ...changes,
    ...(spec.nodeName ? messages(spec.nodeName, isDns1123Subdomain(spec.nodeName), at.child("nodeName")) : []),
    ...(spec.nodeSelector ? nodeSelectorErrors(spec.nodeSelector, at.child("nodeSelector")) : []),
    ...nodeErrors(spec),
    ...devices.flatMap(({ name = "", attributes = {}, taints = [] }, i) => {
      const path = at.child("devices").index(i);
      return [
        ...messages(name, isDns1123Label(name), path.child("name")),
        ...attributeErrors(attributes, path.child("attributes")),
        ...taints.flatMap((taint, j) => taintErrors(taint, path.child("taints").index(j))),
      ];
    }),
    ...devices.flatMap(({ name = "" }, i) => {
      const isTaken = names.has(name);
      names.add(name);
      return isTaken ? [fieldError.duplicate(at.child("devices").index(i), name)] : [];
    }),
  ];
}

/** Returns the errors in the name of a pool of devices. */
const poolNameErrors = (name: string, path: FieldPath): FieldError[] =>
  name === ""
    ? [fieldError.required(path)]
    : name.split("/").flatMap((part) => messages(part, isDns1123Subdomain(part), path));

/** Returns errors unless exactly one field selects the nodes that can access the devices. */
function nodeErrors(spec: NonNullable<ResourceSlice["spec"]>): FieldError[] {
  const members = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const;
  const given = members.filter((member) => spec[member] !== undefined && spec[member] !== false && spec[member] !== "");
  const which = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (given.length === 1) return [];
  if (given.length === 0) return [fieldError.required(at, which)];
  return [
    fieldError.invalid(
      at,
      `{${given.map((member) => `\`${member}\``).join(", ")}}`,
      `${which}, but multiple fields are set`,
    ),
  ];
}

/** Sets `timeAdded` of taints to the current time if it is missing. */
function stampTaints(slice: ResourceSlice, { nowMs }: StrategyContext): void {
  for (const { taints = [] } of slice.spec?.devices ?? [])
    for (const taint of taints) taint.timeAdded ??= `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
}

const longestText = 64;
const kindsOfValue = ["bool", "int", "string", "version"] as const;

/**
 * Returns the errors in the attributes of a device, each of which must have exactly one value.
 *
 * @see pkg/apis/resource/validation validateDeviceAttribute
 */
function attributeErrors(attributes: NonNullable<Device["attributes"]>, path: FieldPath): FieldError[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const given = kindsOfValue.filter((kind) => attribute[kind] !== undefined).length;
    const text = attribute.string;
    return [
      ...qualifiedNameErrors(name, path.key(name)),
      ...(given === 1 ? [] : [fieldError.invalid(path.key(name), "", "exactly one value must be specified")]),
      ...(typeof text === "string" && Buffer.byteLength(text) > longestText
        ? [fieldError.tooLong(path.key(name).child("string"), longestText)]
        : []),
    ];
  });
}

const effects = ["NoExecute", "NoSchedule", "None"];

/** Returns the errors in a taint of devices. @see pkg/apis/resource/validation validateDeviceTaint */
function taintErrors({ key = "", value = "", effect = "" }: DeviceTaint, path: FieldPath): FieldError[] {
  const wrong = isLabelValue(value);
  return [
    ...messages(key, validateQualifiedName(key), path.child("key")),
    ...messages(value, wrong, path.child("value")),
    ...oneOf(effect, effects, path.child("effect")),
  ];
}

/** Strategy for ResourceSlices. @see pkg/registry/resource/resourceslice strategy.go */
export const resourceSliceStrategy = defineStrategy<ResourceSlice>({
  countsGeneration: true,
  returnDeletedObject: true,
  prepareForCreate: stampTaints,
  prepareForUpdate: (slice, _old, context) => stampTaints(slice, context),
  validate: (slice) => validate(slice),
  validateUpdate: (next, old) =>
    validate(next, [
      ...immutable(next.spec?.pool?.name ?? "", old.spec?.pool?.name ?? "", at.child("pool", "name")),
      ...immutable(next.spec?.driver ?? "", old.spec?.driver ?? "", at.child("driver")),
      ...immutable(next.spec?.nodeName, old.spec?.nodeName, at.child("nodeName")),
    ]),
  columns: [
    nameColumn,
    column("Node", ({ spec }) => spec?.nodeName ?? ""),
    column("Driver", ({ spec }) => spec?.driver ?? ""),
    column("Pool", ({ spec }) => spec?.pool?.name ?? ""),
    ageColumn,
  ],
  unknownFieldLabel: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
    "spec.driver": ({ spec }) => spec?.driver ?? "",
  },
});

interface DeviceTaintRule extends KubeObject {
  spec?: { deviceSelector?: { driver?: string; pool?: string; device?: string }; taint?: DeviceTaint };
  status?: { conditions?: StatusCondition[] };
}

const maxConditions = 8;

function ruleErrors({ spec = {} }: DeviceTaintRule): FieldError[] {
  const { driver, pool, device } = spec.deviceSelector ?? {};
  const path = fieldPath("spec").child("deviceSelector");
  return [
    ...(driver === undefined ? [] : driverNameErrors(driver, path.child("driver"))),
    ...(pool === undefined ? [] : poolNameErrors(pool, path.child("pool"))),
    ...(device === undefined ? [] : messages(device, isDns1123Label(device), path.child("device"))),
    ...taintErrors(spec.taint ?? {}, fieldPath("spec").child("taint")),
  ];
}

/** Strategy for DeviceTaintRules. @see pkg/registry/resource/devicetaintrule strategy.go */
export const deviceTaintRuleStrategy = defineStrategy<DeviceTaintRule>({
  countsGeneration: true,
  allowUnconditionalUpdate: false,
  statusIgnoresMetadata: "all",
  prepareForCreate({ spec }, { nowMs }) {
    if (spec?.taint) spec.taint.timeAdded ??= rfc3339(nowMs);
  },
  prepareForUpdate({ spec }, { spec: old }, { nowMs }) {
    if (!spec?.taint) return;
    // a new effect begins now, unless the client sets its time
    const isNewEffect = spec.taint.effect !== old?.taint?.effect && spec.taint.timeAdded === old?.taint?.timeAdded;
    if (isNewEffect) delete spec.taint.timeAdded;
    spec.taint.timeAdded ??= rfc3339(nowMs);
  },
  validate: ruleErrors,
  validateStatusUpdate({ status }) {
    const conditions = status?.conditions ?? [];
    const path = fieldPath("status", "conditions");
    const tooMany = conditions.length > maxConditions;
    return [
      ...statusConditionErrors(conditions, path),
      ...(tooMany ? [fieldError.tooMany(path, conditions.length, maxConditions)] : []),
    ];
  },
  columns: [
    nameColumn,
    column("Key", ({ spec }) => spec?.taint?.key ?? ""),
    column("Value", ({ spec }) => spec?.taint?.value ?? ""),
    column("Effect", ({ spec }) => spec?.taint?.effect ?? ""),
    column("TimeAdded", ({ spec }, nowMs) => (spec?.taint?.timeAdded ? ageCell(spec.taint.timeAdded, nowMs) : "")),
    ageColumn,
  ],
});
