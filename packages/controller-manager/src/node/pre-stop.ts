import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { ContainerRun } from "./container-run.ts";
import type { RunningContainer } from "./image-registry.ts";
import { simulatedRun } from "./simulated-command.ts";

type Container = DeepReadonly<Pod>["spec"]["containers"][number];
type Hook = NonNullable<NonNullable<Container["lifecycle"]>["preStop"]>;

/**
 * Returns how long a pod's containers continue to run after the pod is deleted: as long as the longest `preStop` hook,
 * but not longer than the grace period. Only `sleep` hooks take time here; hooks that send requests are run by {@link
 * runPreStopHooks}.
 *
 * @see kubernetes pkg/kubelet/kuberuntime executePreStopHook
 */
export function lingerMs(pod: DeepReadonly<Pod>, runs: ReadonlyMap<string, ContainerRun>): number {
  const graceMs = Number(pod.metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
  const durations = containersOf(pod).map((container) => {
    const hook = container.lifecycle?.preStop;
    const run = runs.get(container.name);
    if (!hook || run?.state.phase !== "running") return 0;
    if (hook.sleep) return Number(hook.sleep.seconds) * 1_000;
    return simulatedRun(hook.exec?.command ?? [])?.runMs ?? 0;
  });
  return Math.min(graceMs, Math.max(0, ...durations));
}

const containersOf = ({ spec }: DeepReadonly<Pod>) => [...spec.containers, ...(spec.initContainers ?? [])];

/** Reports whether a pod has `preStop` hooks that send requests. */
export const sendsOnStop = (pod: DeepReadonly<Pod>): boolean =>
  containersOf(pod).some(({ lifecycle }) => lifecycle?.preStop?.httpGet);

/**
 * Runs those `preStop` hooks of a pod's running containers that send a request, if the containers' runners support
 * this.
 *
 * @param onFailure called with each container whose hook fails, and the reason
 */
export async function runPreStopHooks(
  pod: DeepReadonly<Pod>,
  runs: ReadonlyMap<string, ContainerRun>,
  signal: AbortSignal,
  onFailure: (container: string, reason: string) => void,
): Promise<void> {
  await Promise.all(
    containersOf(pod).map(async ({ name, lifecycle }) => {
      const reason = await hookFailure(lifecycle?.preStop, runs.get(name)?.running, signal);
      if (reason !== undefined) onFailure(name, reason);
    }),
  );
}

/** Runs a hook that sends a request. @returns the reason if it fails */
export async function hookFailure(
  hook: Hook | undefined,
  running: RunningContainer | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!hook?.httpGet || !running?.probe) return undefined;
  const { isGood, message } = await running.probe({ httpGet: hook.httpGet }, signal);
  return isGood ? undefined : (message ?? "the request failed");
}
