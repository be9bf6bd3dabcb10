import { fieldPath } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { applyPodRequestDefaults, applyPodSpecDefaults } from "../pod/pod-defaults.ts";
import { applyPodLevelDefaults } from "../pod/pod-level-resources.ts";
import { validatePodOnly } from "../pod/pod-only-validation.ts";
import { summarizePod } from "../pod/pod-status-cell.ts";
import type { Pod } from "../pod/pod-types.ts";
import { validatePodSpec, validatePodUpdate } from "../pod/pod-validation.ts";
import { qosClassOf } from "../pod/quality-of-service.ts";

const orNone = (text: string | undefined): string => text || "<none>";
const spec = (pod: Pod): NonNullable<Pod["spec"]> => pod.spec ?? {};
const status = (pod: Pod): NonNullable<Pod["status"]> => pod.status ?? {};

function readinessGates(pod: Pod): string {
  const gates = spec(pod).readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) =>
    status(pod).conditions?.some((c) => c.type === conditionType && c.status === "True"),
  );
  return `${open.length}/${gates.length}`;
}

/** Returns the condition of a pod with scheduling gates. */
const gated = (nowMs: number) => ({
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  lastTransitionTime: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
});

/** Keeps the first address and the list of addresses in sync. If they differ, the first address counts. */
function applyAddressDefaults(status: NonNullable<Pod["status"]>): void {
  const [first] = status.podIPs ?? [];
  if (status.podIP && status.podIP !== first?.ip) status.podIPs = [{ ip: status.podIP }];
  else if (!status.podIP && first?.ip) status.podIP = first.ip;
}

/** Strategy for Pods. @see pkg/registry/core/pod strategy.go */
export const podStrategy = defineStrategy<Pod>({
  statusIgnoresMetadata: ["ownerReferences"],
  countsGeneration: true,
  returnDeletedObject: true,
  gracePeriodSeconds(pod, asked) {
    const { nodeName, terminationGracePeriodSeconds } = spec(pod);
    const isOver = ["Succeeded", "Failed"].includes(status(pod).phase ?? "");
    if (!nodeName || isOver) return 0;
    const seconds = asked ?? terminationGracePeriodSeconds ?? 30;
    return seconds < 0 ? 1 : seconds;
  },
  applyDefaults(pod) {
    pod.spec ??= {};
    applyPodSpecDefaults(pod.spec);
    applyPodRequestDefaults(pod.spec);
    pod.spec.enableServiceLinks ??= true;
    if (pod.status) applyAddressDefaults(pod.status);
  },
  prepareForCreate(pod, { nowMs }) {
    applyPodLevelDefaults(spec(pod));
    pod.status = { phase: "Pending", qosClass: qosClassOf(spec(pod)) };
    if ((spec(pod).schedulingGates ?? []).length > 0) pod.status.conditions = [gated(nowMs)];
  },
  prepareForUpdate(pod, old) {
    // clients that do not know the field would otherwise remove it
    if (pod.spec && old.spec?.resources) pod.spec.resources ??= structuredClone(old.spec.resources);
  },
  prepareForStatusUpdate(pod) {
    pod.status = { ...pod.status, qosClass: pod.status?.qosClass || qosClassOf(spec(pod)) };
  },
  validate: (pod) => [...validatePodSpec(spec(pod), fieldPath("spec")), ...validatePodOnly(pod)],
  validateUpdate: (pod, old) => [
    ...validatePodSpec(spec(pod), fieldPath("spec")),
    ...validatePodOnly(pod),
    ...validatePodUpdate(pod, old),
  ],
  columns: [
    nameColumn,
    column("Ready", (pod, nowMs) => summarizePod(pod, nowMs).ready),
    column("Status", (pod, nowMs) => summarizePod(pod, nowMs).status),
    column("Restarts", (pod, nowMs) => summarizePod(pod, nowMs).restarts),
    ageColumn,
    column("IP", (pod) => orNone(status(pod).podIPs?.[0]?.ip ?? status(pod).podIP), { wide: true }),
    column("Node", (pod) => orNone(spec(pod).nodeName), { wide: true }),
    column("Nominated Node", (pod) => orNone(status(pod).nominatedNodeName), { wide: true }),
    column("Readiness Gates", readinessGates, { wide: true }),
  ],
  selectableFields: {
    "spec.nodeName": (pod) => spec(pod).nodeName ?? "",
    "spec.restartPolicy": (pod) => spec(pod).restartPolicy ?? "",
    "spec.schedulerName": (pod) => spec(pod).schedulerName ?? "",
    "spec.serviceAccountName": (pod) => spec(pod).serviceAccountName ?? "",
    "spec.hostNetwork": (pod) => String(spec(pod).hostNetwork ?? false),
    "status.phase": (pod) => status(pod).phase ?? "",
    "status.podIP": (pod) => status(pod).podIPs?.[0]?.ip ?? "",
    "status.podIPs": (pod) => (status(pod).podIPs ?? []).map(({ ip }) => ip ?? "").join(","),
    "status.nominatedNodeName": (pod) => status(pod).nominatedNodeName ?? "",
  },
});
