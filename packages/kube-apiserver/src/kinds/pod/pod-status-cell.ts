import { ageCell } from "@kubewright/apiserver/registry";
import type { Container, ContainerStatus, Pod } from "./pod-types.ts";

/** Values for a pod's Ready, Status and Restarts columns. */
export interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

interface Progress {
  reason: string;
  restarts: number;
  lastRestart: string;
  ready: number;
}

const isSidecar = (container: Container | undefined): boolean => container?.restartPolicy === "Always";

/** Returns the values for a pod's Ready, Status and Restarts columns. @see pkg/printers/internalversion printPod */
export function summarizePod(pod: Pod, nowMs: number): PodSummary {
  const { spec = {}, status = {} } = pod;
  const gated = status.conditions?.some((c) => c.type === "PodScheduled" && c.reason === "SchedulingGated");
  const phaseReason = gated ? "SchedulingGated" : status.reason || status.phase || "";
  const all: Progress = { reason: phaseReason, restarts: 0, lastRestart: "", ready: 0 };
  const sidecars: Progress = { reason: "", restarts: 0, lastRestart: "", ready: 0 };
  const isInitializing = followInitContainers(pod, all, sidecars);
  const isInitialized = status.conditions?.some((c) => c.type === "Initialized" && c.status === "True");
  let shown = all;
  if (!isInitializing || isInitialized) {
    shown = { ...sidecars, reason: all.reason, ready: all.ready };
    followContainers(pod, shown);
  }
  const total = (spec.containers?.length ?? 0) + (spec.initContainers ?? []).filter(isSidecar).length;
  const when = shown.lastRestart ? ` (${ageCell(shown.lastRestart, nowMs)} ago)` : "";
  return {
    ready: `${shown.ready}/${total}`,
    status: terminatingReason(pod) ?? shown.reason,
    restarts: shown.restarts > 0 ? `${shown.restarts}${when}` : "0",
  };
}

function terminatingReason({ metadata, status }: Pod): string | undefined {
  if (!metadata.deletionTimestamp) return undefined;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? undefined : "Terminating";
}

/** Adds the restarts and the progress of init containers to the totals. Returns true if one of them has not finished. */
function followInitContainers(pod: Pod, all: Progress, sidecars: Progress): boolean {
  const declared = pod.spec?.initContainers ?? [];
  for (const [i, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const sidecar = isSidecar(declared.find(({ name }) => name === container.name));
    countRestarts(all, container);
    if (sidecar) countRestarts(sidecars, container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated && !terminated.exitCode) continue;
    if (sidecar && container.started) {
      if (container.ready) all.ready++;
      continue;
    }
    if (terminated) all.reason = `Init:${terminatedReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing") all.reason = `Init:${waiting.reason}`;
    else all.reason = `Init:${i}/${declared.length}`;
    return true;
  }
  return false;
}

function followContainers(pod: Pod, progress: Progress): void {
  let hasRunning = false;
  let failure = "";
  for (const container of (pod.status?.containerStatuses ?? []).toReversed()) {
    countRestarts(progress, container);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) progress.reason = waiting.reason;
    else if (terminated) {
      progress.reason = terminatedReason(terminated);
      if (terminated.exitCode) failure = progress.reason;
    } else if (container.ready && running) {
      hasRunning = true;
      progress.ready++;
    }
  }
  if (progress.reason !== "Completed") return;
  const isReady = pod.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True");
  if (hasRunning && isReady) progress.reason = "Running";
  else if (failure) progress.reason = failure;
  else if (hasRunning) progress.reason = "NotReady";
}

function terminatedReason(terminated: NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>): string {
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`;
}

function countRestarts(progress: Progress, container: ContainerStatus): void {
  progress.restarts += container.restartCount ?? 0;
  const finished = container.lastState?.terminated?.finishedAt ?? "";
  if (finished > progress.lastRestart) progress.lastRestart = finished;
}
