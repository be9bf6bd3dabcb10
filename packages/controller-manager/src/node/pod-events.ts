import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { EventRecorder } from "@kubewright/recorder";
import type { ProbeKind } from "./container-probes.ts";
import type { ContainerState } from "./container-run.ts";
import type { ProbeResult } from "./probe.ts";

const capitalized: Readonly<Record<ProbeKind, string>> = {
  startup: "Startup",
  liveness: "Liveness",
  readiness: "Readiness",
};

/** Returns functions that emit events about a pod's containers. @see kubernetes pkg/kubelet/events */
export function podEvents(pod: DeepReadonly<Pod>, recorder: EventRecorder) {
  const inits = new Set((pod.spec.initContainers ?? []).map(({ name }) => name));
  const fieldPath = (name: string): string => `spec.${inits.has(name) ? "initContainers" : "containers"}{${name}}`;
  const emit = (name: string, reason: string, note: string, type: "Normal" | "Warning" = "Normal"): void =>
    recorder.event(pod, { type, reason, note, fieldPath: fieldPath(name) });
  return {
    changed(name: string, state: ContainerState): void {
      if (state.phase === "running") emit(name, "Started", "Container started");
      if (state.phase !== "waiting") return;
      if (state.reason === "ContainerCreating") {
        if (state.message !== undefined) emit(name, "FailedMount", state.message, "Warning");
      } else if (state.reason === "CrashLoopBackOff") emit(name, "BackOff", state.message ?? state.reason, "Warning");
      else emit(name, "Failed", `Error: ${state.message}`, "Warning");
    },
    probed(name: string, kind: ProbeKind, { isGood, message = "" }: ProbeResult): void {
      if (isGood) emit(name, "ProbeWarning", `${capitalized[kind]} probe warning: ${message}`, "Warning");
      else emit(name, "Unhealthy", `${capitalized[kind]} probe failed: ${message}`, "Warning");
    },
    hookFailed(name: string, kind: "PostStart" | "PreStop", reason: string): void {
      emit(name, `Failed${kind}Hook`, `${kind}Hook failed: ${reason}`, "Warning");
    },
    givenUp(name: string, kind: ProbeKind): void {
      emit(name, "Killing", `Container ${name} failed ${kind} probe, will be restarted`);
    },
  };
}
