import { type Condition, type DeepReadonly, mutableCopy, setCondition } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { ContainerRun, ContainerState } from "./container-run.ts";
import { simulation } from "./simulated-image.ts";

type Status = NonNullable<Pod["status"]>;
type ContainerStatus = NonNullable<Status["containerStatuses"]>[number];

/** A pod's status as its containers make it. */
export function podStatus(
  pod: DeepReadonly<Pod>,
  runs: ReadonlyMap<string, ContainerRun>,
  address: { readonly ip: string; readonly hostIp: string; readonly startTime: string },
  now: string,
): Status {
  const isNeverReady = pod.metadata.annotations?.[simulation.ready] === "false";
  const containers = pod.spec.containers
    .map(({ name, image }) => containerStatus(name, image ?? "", runs.get(name)))
    .map((status) => (isNeverReady ? { ...status, ready: false } : status));
  const inits = (pod.spec.initContainers ?? []).map((each) => initStatus(each, address.startTime));
  const phase = phaseOf(containers, pod.spec.restartPolicy ?? "Always");
  const isReady = containers.every(({ ready }) => ready);
  const isFinished = phase === "Succeeded" || phase === "Failed";
  const conditions = (mutableCopy(pod.status?.conditions) ?? []) as Condition[];
  const put = (type: string, holds: boolean, reason?: string, message?: string): void => {
    setCondition(
      conditions,
      { type, status: holds ? "True" : "False", ...({ reason, message } as { reason: string; message: string }) },
      now,
    );
  };
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  const whyNot: readonly [string?, string?] = isReady
    ? []
    : isFinished
      ? ["PodCompleted"]
      : ["ContainersNotReady", `containers with unready status: [${unready.join(" ")}]`];
  put("PodReadyToStartContainers", !isFinished);
  put("Initialized", true);
  put("Ready", isReady, ...whyNot);
  put("ContainersReady", isReady, ...whyNot);
  put("PodScheduled", true);
  return {
    ...mutableCopy(pod.status),
    phase,
    conditions: conditions.map(withoutAbsent) as NonNullable<Status["conditions"]>,
    hostIP: address.hostIp,
    hostIPs: [{ ip: address.hostIp }],
    podIP: address.ip,
    podIPs: [{ ip: address.ip }],
    startTime: address.startTime,
    containerStatuses: containers,
    ...(inits.length > 0 ? { initContainerStatuses: inits } : {}),
  };
}

/** Init containers have always run, and sidecars run. */
function initStatus(
  { name, image = "", restartPolicy }: NonNullable<DeepReadonly<Pod>["spec"]["initContainers"]>[number],
  at: string,
): ContainerStatus {
  const isSidecar = restartPolicy === "Always";
  const state = isSidecar
    ? { running: { startedAt: at } }
    : { terminated: { exitCode: 0, reason: "Completed", startedAt: at, finishedAt: at } };
  return { name, image, imageID: image, ready: true, started: isSidecar, restartCount: 0, state } as ContainerStatus;
}

function phaseOf(containers: readonly ContainerStatus[], restartPolicy: string): string {
  const ended = containers.flatMap(({ state }) => state?.terminated ?? []);
  const areForGood =
    restartPolicy === "Never" || (restartPolicy === "OnFailure" && ended.every(({ exitCode }) => exitCode === 0));
  if (containers.length > 0 && ended.length === containers.length && areForGood)
    return ended.every(({ exitCode }) => exitCode === 0) ? "Succeeded" : "Failed";
  const hasBegun = containers.every(
    ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  return hasBegun ? "Running" : "Pending";
}

function containerStatus(name: string, image: string, run: ContainerRun | undefined): ContainerStatus {
  const state: ContainerState = run?.state ?? { phase: "waiting", reason: "ContainerCreating" };
  const id = `kubewright://${name}`;
  const isRunning = state.phase === "running";
  return {
    name,
    image,
    imageID: image,
    containerID: id,
    ready: isRunning,
    started: isRunning,
    restartCount: run?.restartCount ?? 0,
    state: wireState(state),
    lastState: run?.last && run.last !== state ? wireState(run.last) : {},
  };
}

function wireState(state: ContainerState): NonNullable<ContainerStatus["state"]> {
  switch (state.phase) {
    case "waiting":
      return { waiting: { reason: state.reason, ...(state.message ? { message: state.message } : {}) } };
    case "running":
      return { running: { startedAt: state.startedAt } };
    case "terminated": {
      const { exitCode, startedAt, finishedAt } = state;
      return { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt, finishedAt } };
    }
  }
}

const withoutAbsent = (condition: Condition): object =>
  Object.fromEntries(Object.entries(condition).filter(([, value]) => value !== undefined));
