import { type FieldError, fieldError, fieldPath, isDns1123Label, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { immutable, messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface ResourceSlice extends KubeObject {
  spec?: {
    driver?: string;
    pool?: { name?: string; generation?: number; resourceSliceCount?: number };
    nodeName?: string;
    nodeSelector?: unknown;
    allNodes?: boolean;
    perDeviceNodeSelection?: boolean;
    devices?: { name?: string }[];
  };
}

const at = fieldPath("spec");

function validate({ spec = {} }: ResourceSlice): FieldError[] {
  const { driver = "", pool = {}, devices = [] } = spec;
  const count = pool.resourceSliceCount ?? 0;
  const names = new Set<string>();
  return [
    ...(driver === "" ? [fieldError.required(at.child("driver"))] : []),
    ...(pool.name ? [] : [fieldError.required(at.child("pool", "name"))]),
    ...(count > 0
      ? []
      : [fieldError.invalid(at.child("pool", "resourceSliceCount"), count, "must be greater than zero")]),
    ...nodeErrors(spec),
    ...devices.flatMap(({ name = "" }, i) =>
      messages(name, isDns1123Label(name), at.child("devices").index(i).child("name")),
    ),
    ...devices.flatMap(({ name = "" }, i) => {
      const isTaken = names.has(name);
      names.add(name);
      return isTaken ? [fieldError.duplicate(at.child("devices").index(i), name)] : [];
    }),
  ];
}

/** Exactly one of the members says which nodes can reach the devices. */
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

/** @see pkg/registry/resource/resourceslice strategy.go */
export const resourceSliceStrategy = defineStrategy<ResourceSlice>({
  countsGeneration: true,
  returnDeletedObject: true,
  validate,
  validateUpdate: (next, old) => [
    ...validate(next),
    ...immutable(next.spec?.driver, old.spec?.driver, at.child("driver")),
    ...immutable(next.spec?.pool?.name, old.spec?.pool?.name, at.child("pool", "name")),
    ...immutable(next.spec?.nodeName, old.spec?.nodeName, at.child("nodeName")),
  ],
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
