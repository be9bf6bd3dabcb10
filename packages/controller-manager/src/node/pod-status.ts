import { type Condition, type DeepReadonly, mutableCopy, setCondition } from "@kubewright/apimachinery";
import type { PatchBody } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { ContainerRun, ContainerState } from "./container-run.ts";
import { simulation } from "./simulated-image.ts";

type Status = NonNullable<Pod["status"]>;
type ContainerStatus = NonNullable<Status["containerStatuses"]>[number];

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

type Why = readonly [reason?: string, message?: string];

/** The reason why a pod was terminated early. */
export interface Overrun {
  readonly reason: string;
  readonly message: string;
}

/** The information in a pod's status that cannot be derived from its containers' states. */
export interface PodPlace {
  readonly ip: string;
  readonly hostIp: string;
  readonly startTime: string;
  readonly overrun?: Overrun | undefined;
  /** Probe results of running containers. By default, all probes succeed. */
  readonly probes?:
    | {
        isStarted(container: string): boolean;
        isReady(container: string): boolean;
      }
    | undefined;
}

/** Condition types that a node writes for its pods. */
const ownConditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/** Returns a strategic merge patch that writes a status but keeps the conditions set by others. */
export function statusPatch({ conditions = [], podIPs, ...status }: Status, pod: DeepReadonly<Pod>): PatchBody<Status> {
  const [address] = podIPs ?? [];
  const isMoved = pod.status?.podIPs?.some(({ ip }) => ip !== address?.ip);
  return {
    ...status,
    podIPs: isMoved && address ? [address, { $patch: "replace" }] : (podIPs ?? null),
    conditions: conditions
      .filter(({ type }) => ownConditions.includes(type))
      .map((each) => ({ ...each, reason: each.reason ?? null, message: each.message ?? null })),
  };
}

const contented = { isStarted: () => true, isReady: () => true };

/** Derives a pod's status from its containers' states. */
export function podStatus(
  pod: DeepReadonly<Pod>,
  runs: ReadonlyMap<string, ContainerRun>,
  { ip, hostIp, startTime, overrun, probes = contented }: PodPlace,
  now: string,
): Status {
  const probed = (status: ContainerStatus): ContainerStatus => ({
    ...status,
    ready: status.ready && (status.state?.running === undefined || probes.isReady(status.name)),
    started: Boolean(status.started) && probes.isStarted(status.name),
  });
  const inits = (pod.spec.initContainers ?? []).map((each) => probed(initStatus(each, runs.get(each.name))));
  const isInitialized = inits.every(({ ready }) => ready);
  const isNeverReady = pod.metadata.annotations?.[simulation.ready] === "false";
  const containers = pod.spec.containers
    .map((each) => containerStatus(each, runs.get(each.name)))
    .map((status) => probed(isNeverReady ? { ...status, ready: false } : status))
    .map((status) => (isInitialized ? status : waitingForInit(status)));
  const ephemeral = (pod.spec.ephemeralContainers ?? []).map(({ name, image = "" }) =>
    runningBeside(name, image, pod, now),
  );
  const phase = overrun ? "Failed" : phaseOf(pod, containers, inits, runs);
  const isFinished = phase === "Succeeded" || phase === "Failed";
  const areReady = !isFinished && containers.every(({ ready }) => ready);
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
  const whyNot: Why = areReady ? [] : isFinished ? [phase === "Failed" ? "PodFailed" : "PodCompleted"] : unready;
  const gates = closedGates(pod);
  const isReady = areReady && gates.length === 0;
  put("PodReadyToStartContainers", !isFinished);
  put("Initialized", isInitialized, isInitialized ? [] : incomplete);
  put("Ready", isReady, areReady && !isReady ? ["ReadinessGatesNotReady", gates.join(", ")] : whyNot);
  put("ContainersReady", areReady, whyNot);
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

/** Returns the messages for unmet readiness gates. @see kubernetes pkg/kubelet/status GeneratePodReadyCondition */
export const closedGates = ({ spec, status }: DeepReadonly<Pod>): string[] =>
  (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = status?.conditions?.find(({ type }) => type === conditionType);
    if (!condition) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });

/** Returns the status of an init container. It is ready once it has succeeded; a sidecar is ready while it runs. */
function initStatus(container: Container, run: ContainerRun | undefined): ContainerStatus {
  const isYetToCome = run === undefined || (run.state.phase === "waiting" && run.state.reason === "ContainerCreating");
  const status = isYetToCome ? waitingForInit(containerStatus(container, run)) : containerStatus(container, run);
  if (container.restartPolicy === "Always") return status;
  return { ...status, ready: status.state?.terminated?.exitCode === 0 };
}

const waitingForInit = (status: ContainerStatus): ContainerStatus => {
  const { containerID: _, ...rest } = status;
  return { ...rest, ready: false, started: false, state: { waiting: { reason: "PodInitializing" } } };
};

/**
 * Returns the status of an ephemeral container, which counts as running from the time at which the node first sees
 * it.
 */
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

/** Returns a pod's phase. @see kubernetes pkg/kubelet/kubelet_pods.go getPhase */
function phaseOf(
  { metadata }: DeepReadonly<Pod>,
  containers: readonly ContainerStatus[],
  inits: readonly ContainerStatus[],
  runs: ReadonlyMap<string, ContainerRun>,
): string {
  const isOver = ({ name }: ContainerStatus): boolean => runs.get(name)?.isOver ?? false;
  const isGoing = metadata.deletionTimestamp !== undefined;
  const failed = inits.filter(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (failed.some((init) => isGoing || isOver(init))) return "Failed";
  const ended = containers.flatMap(({ state }) => state?.terminated ?? []);
  const areForGood = isGoing || containers.every(isOver);
  if (containers.length > 0 && ended.length === containers.length && areForGood)
    return ended.every(({ exitCode }) => exitCode === 0) ? "Succeeded" : "Failed";
  const hasBegun = containers.every(
    ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  return hasBegun ? "Running" : "Pending";
}

function containerStatus(container: Container, run: ContainerRun | undefined): ContainerStatus {
  const { name, image = "" } = container;
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
    ...(run?.last || state.phase !== "waiting" ? allocationOf(container) : {}),
  };
}

/**
 * Returns the resources that are allocated to a created container: everything that it requests.
 *
 * @see kubernetes pkg/kubelet convertToAPIContainerStatuses
 */
function allocationOf({ resources = {} }: Container): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  const { requests } = resources;
  return { resources: mutableCopy(resources), ...(requests ? { allocatedResources: mutableCopy(requests) } : {}) };
}

function wireState(state: ContainerState): NonNullable<ContainerStatus["state"]> {
  switch (state.phase) {
    case "waiting":
      return { waiting: { reason: state.reason, ...(state.message ? { message: state.message } : {}) } };
    case "running":
      return { running: { startedAt: state.startedAt } };
    case "terminated": {
      const { exitCode, startedAt, finishedAt, message } = state;
      const reason = exitCode === 0 ? "Completed" : "Error";
      return { terminated: { exitCode, reason, startedAt, finishedAt, ...(message ? { message } : {}) } };
    }
  }
}

const withoutAbsent = (condition: Condition): object =>
  Object.fromEntries(Object.entries(condition).filter(([, value]) => value !== undefined));
