import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { ContainerRun } from "./container-run.ts";
import { simulatedRun } from "./simulated-command.ts";

/**
 * Returns how long a pod's containers continue to run after the pod is deleted: as long as its longest `preStop` hook, but no longer than
 * its grace period. Only `sleep` hooks take time.
 *
 * @see kubernetes pkg/kubelet/kuberuntime executePreStopHook
 */
export function lingerMs(pod: DeepReadonly<Pod>, runs: ReadonlyMap<string, ContainerRun>): number {
  const graceMs = Number(pod.metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
  const durations = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].map((container) => {
    const hook = container.lifecycle?.preStop;
    const run = runs.get(container.name);
    if (!hook || run?.state.phase !== "running") return 0;
    if (hook.sleep) return Number(hook.sleep.seconds) * 1_000;
    return simulatedRun(hook.exec?.command ?? [])?.runMs ?? 0;
  });
  return Math.min(graceMs, Math.max(0, ...durations));
}
