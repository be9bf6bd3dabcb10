import { type Condition, type DeepReadonly, mutableCopy, setCondition } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { ContainerRun, ContainerState } from "./container-run.ts";
import { simulation } from "./simulated-image.ts";

type Status = NonNullable<Pod["status"]>;
type ContainerStatus = NonNullable<Status["containerStatuses"]>[number];

type Why = readonly [reason?: string, message?: string];

/** Why a pod was ended before its time. */
export interface Overrun {
  readonly reason: string;
  readonly message: string;
}

/** What is known of a pod beside its containers. */
export interface PodPlace {
  readonly ip: string;
  readonly hostIp: string;
  readonly startTime: string;
  readonly overrun?: Overrun | undefined;
  /** What a running container's readiness probe says. Default: all are ready. */
  isReady?(container: string): boolean;
}

/** A pod's status as its containers make it. */
export function podStatus(
  pod: DeepReadonly<Pod>,
  runs: ReadonlyMap<string, ContainerRun>,
  { ip, hostIp, startTime, overrun, isReady: isProbedReady = () => true }: PodPlace,
  now: string,
): Status {
  const inits = (pod.spec.initContainers ?? []).map((each) => initStatus(each, runs.get(each.name)));
  const isInitialized = inits.every(({ ready }) => ready);
  const isNeverReady = pod.metadata.annotations?.[simulation.ready] === "false";
  const containers = pod.spec.containers
    .map(({ name, image }) => containerStatus(name, image ?? "", runs.get(name)))
    .map((status) => (isNeverReady || !isProbedReady(status.name) ? { ...status, ready: false } : status))
    .map((status) => (isInitialized ? status : waitingForInit(status)));
  const ephemeral = (pod.spec.ephemeralContainers ?? []).map(({ name, image = "" }) =>
    runningBeside(name, image, pod, now),
  );
  const phase = overrun ? "Failed" : phaseOf(pod, containers, inits);
  const isFinished = phase === "Succeeded" || phase === "Failed";
  const isReady = !isFinished && containers.every(({ ready }) => ready);
  const conditions = (mutableCopy(pod.status?.conditions) ?? []) as Condition[];
  const { generation } = pod.metadata;
  const put = (type: string, holds: boolean, [reason, message]: Why = []): void => {
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const words = { reason, message } as { reason: string; message: string };
    setCondition(conditions, { type, status: holds ? "True" : "False", ...words, ...observed }, now);
  };
  const names = (of: readonly ContainerStatus[]): string =>
    of
      .filter(({ ready }) => !ready)
      .map(({ name }) => name)
      .join(" ");
  const incomplete = ["ContainersNotInitialized", `containers with incomplete status: [${names(inits)}]`] as const;
  const unready = ["ContainersNotReady", `containers with unready status: [${names(containers)}]`] as const;
  const whyNot: Why = isReady ? [] : isFinished ? [phase === "Failed" ? "PodFailed" : "PodCompleted"] : unready;
  put("PodReadyToStartContainers", !isFinished);
  put("Initialized", isInitialized, isInitialized ? [] : incomplete);
  put("Ready", isReady, whyNot);
  put("ContainersReady", isReady, whyNot);
  put("PodScheduled", true);
  return {
    ...mutableCopy(pod.status),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    ...(overrun ?? {}),
    conditions: conditions.map(withoutAbsent) as NonNullable<Status["conditions"]>,
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: startTime as NonNullable<Status["startTime"]>,
    containerStatuses: containers,
    ...(inits.length > 0 ? { initContainerStatuses: inits } : {}),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
  };
}

/** An init container is ready once it has succeeded, a sidecar while it runs. */
function initStatus(
  { name, image = "", restartPolicy }: NonNullable<DeepReadonly<Pod>["spec"]["initContainers"]>[number],
  run: ContainerRun | undefined,
): ContainerStatus {
  const isYetToCome = run === undefined || (run.state.phase === "waiting" && run.state.reason === "ContainerCreating");
  const status = isYetToCome ? waitingForInit(containerStatus(name, image, run)) : containerStatus(name, image, run);
  if (restartPolicy === "Always") return status;
  return { ...status, ready: status.state?.terminated?.exitCode === 0 };
}

const waitingForInit = (status: ContainerStatus): ContainerStatus => {
  const { containerID: _, ...rest } = status;
  return { ...rest, ready: false, started: false, state: { waiting: { reason: "PodInitializing" } } };
};

/** Ephemeral containers run from when they are seen. */
function runningBeside(name: string, image: string, { status }: DeepReadonly<Pod>, now: string): ContainerStatus {
  const before = status?.ephemeralContainerStatuses?.find((each) => each.name === name);
  const startedAt = before?.state?.running?.startedAt ?? now;
  const state = { running: { startedAt } };
  const id = `kubewright://${name}`;
  return {
    name,
    image,
    imageID: image,
    containerID: id,
    ready: false,
    restartCount: 0,
    state,
    lastState: {},
  } as ContainerStatus;
}

/** @see kubernetes pkg/kubelet/kubelet_pods.go getPhase */
function phaseOf(
  { metadata, spec }: DeepReadonly<Pod>,
  containers: readonly ContainerStatus[],
  inits: readonly ContainerStatus[],
): string {
  const restartPolicy = spec.restartPolicy ?? "Always";
  const isGoing = metadata.deletionTimestamp !== undefined;
  const initFailed = inits.some(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (initFailed && (restartPolicy === "Never" || isGoing)) return "Failed";
  const ended = containers.flatMap(({ state }) => state?.terminated ?? []);
  const areForGood =
    isGoing ||
    restartPolicy === "Never" ||
    (restartPolicy === "OnFailure" && ended.every(({ exitCode }) => exitCode === 0));
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
