import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isLabelValue,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages, oneOf } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { cidrErrors } from "../networking/cidr.ts";

interface Taint {
  key?: string;
  value?: string;
  effect?: string;
}

interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; podCIDR?: string; podCIDRs?: string[]; providerID?: string; taints?: Taint[] };
  status?: {
    conditions?: { type: string; status: string }[];
    addresses?: { type: string; address: string }[];
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    nodeInfo?: {
      kubeletVersion?: string;
      osImage?: string;
      kernelVersion?: string;
      containerRuntimeVersion?: string;
      architecture?: string;
    };
    daemonEndpoints?: unknown;
  };
}

function statusCell({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const state = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return spec?.unschedulable ? `${state},SchedulingDisabled` : state;
}

const rolePrefix = "node-role.kubernetes.io/";

function rolesCell({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.length > rolePrefix.length ? [key.slice(rolePrefix.length)] : [];
    return key === "kubernetes.io/role" && value !== "" ? [value] : [];
  });
  return [...new Set(roles)].sort().join(",") || "<none>";
}

const addressCell =
  (wanted: string) =>
  ({ status }: Node): string =>
    status?.addresses?.find(({ type }) => type === wanted)?.address ?? "<none>";

/** Fields of `nodeInfo` that a node always contains, even if they are not known. */
const unknownInfo = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "",
  containerRuntimeVersion: "",
  kubeletVersion: "",
  kubeProxyVersion: "",
  operatingSystem: "",
  architecture: "",
};

const info = ({ status }: Node): NonNullable<NonNullable<Node["status"]>["nodeInfo"]> => status?.nodeInfo ?? {};

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function taintErrors(taint: Taint, index: number, all: readonly Taint[]): FieldError[] {
  const { key = "", value = "", effect = "" } = taint;
  const at = fieldPath("metadata", "taints").index(index);
  const wrong = isLabelValue(value);
  const isTaken = all.slice(0, index).some((before) => before.key === taint.key && before.effect === taint.effect);
  return [
    ...messages(key, validateQualifiedName(key), at.child("key")),
    ...(wrong.length > 0 ? [fieldError.invalid(at.child("value"), value, wrong.join(";"))] : []),
    ...(isTaken
      ? [
          {
            ...fieldError.duplicate(at, { Key: key, Value: value, Effect: effect, TimeAdded: null }),
            detail: "taints must be unique by key and effect pair",
          },
        ]
      : []),
    ...(effect === "" ? [fieldError.required(at.child("effect"))] : oneOf(effect, taintEffects, at.child("effect"))),
  ];
}

function validate({ spec = {} }: Node): FieldError[] {
  const at = fieldPath("spec", "podCIDRs");
  return [...(spec.taints ?? []).flatMap(taintErrors), ...networkErrors(spec.podCIDRs ?? [], at)];
}

function networkErrors(networks: readonly string[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = networks.flatMap((text, i) =>
    cidrErrors(text || "-", at.index(i)).map((error) => ({ ...error, badValue: text })),
  );
  const families = new Set(networks.map((text) => text.includes(":")));
  if (networks.length < 2) return errors;
  const bad = networks.findIndex((text) => cidrErrors(text, at).length > 0);
  if (bad >= 0)
    errors.push(
      fieldError.internal(
        at,
        `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${networks[bad]})`,
      ),
    );
  if (networks.length > 2 || families.size < 2)
    errors.push(fieldError.invalid(at, networks, "may specify no more than one CIDR for each IP family"));
  return errors;
}

function providerErrors(next: string, old: string): FieldError[] {
  if (old === "" || next === old) return [];
  const rule = `field cannot be ${next === "" ? "cleared" : "modified"} once set`;
  return [fieldError.invalid(fieldPath("spec", "providerID"), null, rule)];
}

/** Returns the errors in an update of a node: in its taints, and in changes to values that can be set only once. */
function changeErrors({ spec = {} }: Node, { spec: old = {} }: Readonly<Node>): FieldError[] {
  const [before, after] = [old.podCIDRs ?? [], spec.podCIDRs ?? []];
  const kept = (what: string, field: string): FieldError =>
    fieldError.forbidden(fieldPath("spec", field), `node updates may not change ${what} except from "" to valid`);
  const changed = before.length === after.length ? before.filter((text, i) => text !== after[i]).length : 1;
  return [
    ...(before.length === 0 ? [] : Array.from({ length: changed }, () => kept("podCIDR", "podCIDRs"))),
    ...providerErrors(spec.providerID ?? "", old.providerID ?? ""),
    ...(spec.taints ?? []).flatMap(taintErrors),
  ];
}

/** Strategy for Nodes. @see pkg/registry/core/node strategy.go */
export const nodeStrategy = defineStrategy<Node>({
  // A new Node may have a status; after that, only `/status` changes it.
  hasStatus: false,
  applyDefaults({ spec, status }) {
    // upstream's internal type has only the list, not the single field
    if (spec?.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
    if (spec?.podCIDRs?.[0] && !spec.podCIDR) spec.podCIDR = spec.podCIDRs[0];
    if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  },
  prepareForCreate(node) {
    node.spec ??= {};
    node.status = {
      ...node.status,
      daemonEndpoints: node.status?.daemonEndpoints ?? { kubeletEndpoint: { Port: 0 } },
      nodeInfo: { ...unknownInfo, ...node.status?.nodeInfo },
    };
  },
  prepareForUpdate(node, old) {
    if (old.status === undefined) delete node.status;
    else node.status = structuredClone(old.status) as NonNullable<Node["status"]>;
  },
  validate,
  validateUpdate: (node, old) => [...validate(node), ...changeErrors(node, old)],
  columns: [
    nameColumn,
    column("Status", statusCell),
    column("Roles", rolesCell),
    ageColumn,
    column("Version", (node) => info(node).kubeletVersion ?? ""),
    column("Internal-IP", addressCell("InternalIP"), { wide: true }),
    column("External-IP", addressCell("ExternalIP"), { wide: true }),
    column("OS-Image", (node) => info(node).osImage || "<unknown>", { wide: true }),
    column(
      "Kernel-Version",
      (node) => {
        const { kernelVersion, architecture } = info(node);
        return `${kernelVersion || "<unknown>"}${architecture ? ` (${architecture})` : ""}`;
      },
      { wide: true },
    ),
    column("Container-Runtime", (node) => info(node).containerRuntimeVersion || "<unknown>", { wide: true }),
  ],
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
});
