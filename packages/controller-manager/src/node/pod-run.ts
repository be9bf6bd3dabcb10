import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, ignoreNotFound, isConflict, keyOf } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339, type Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { type EventRecorder, silentRecorder } from "@kubewright/recorder";
import type { AddressPool } from "./address-pool.ts";
import type { ProbeKind } from "./container-probes.ts";
import { ContainerRun } from "./container-run.ts";
import { ContainerStarter, imagesOf } from "./container-starter.ts";
import type { ImageRegistry, RunningContainer } from "./image-registry.ts";
import type { ContainerLog } from "./log/container-log.ts";
import { podEvents } from "./pod-events.ts";
import { PodProbes } from "./pod-probes.ts";
import { closedGates, type Overrun, podStatus, statusPatch } from "./pod-status.ts";
import { hookFailure, lingerMs, runPreStopHooks, sendsOnStop } from "./pre-stop.ts";
import { restartsAfter } from "./restart-rules.ts";

export interface PodRunOptions {
  /**
   * Client that reads from the API server rather than from a cache, because a container must get the current Secrets each time it starts.
   */
  readonly client: Reader & Writer;
  readonly images: ImageRegistry;
  readonly addresses: AddressPool;
  readonly hostIp: string;
  /** URL of the API server, such as `https://127.0.0.1:6443`. */
  readonly apiServer: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Recorder for events about the pod. Default: no events are emitted. */
  readonly recorder?: EventRecorder | undefined;
}

const deadlineExceeded: Overrun = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/** Interval at which a deleted pod checks whether its hooks have ended. */
const hookPollMs = 200;
const graceMs = ({ metadata }: DeepReadonly<Pod>): number => Number(metadata.deletionGracePeriodSeconds ?? 0) * 1_000;

/**
 * Runs a pod on this node: runs the pod's containers, reserves the pod's address, and writes the pod's status to the
 * API server.
 */
export class PodRun {
  readonly #options: PodRunOptions;
  readonly #key: string;
  #pod: DeepReadonly<Pod>;
  readonly #uid: string | undefined;
  readonly #runs: ReadonlyMap<string, ContainerRun>;
  readonly #ip: string;
  readonly #startTime: string;
  readonly #inits: readonly { readonly name: string; readonly isSidecar: boolean }[];
  readonly #mains: readonly string[];
  #generation: number | undefined;
  #gates = "";
  #deadlineSeconds: number | undefined;
  #deadline: Timer | undefined;
  readonly #probes: PodProbes;
  readonly #events: ReturnType<typeof podEvents>;
  #goingSince: number | undefined;
  /** True while `preStop` hooks are sending requests. */
  #hasPreStop = false;
  #overrun: Overrun | undefined;
  #reporting: Promise<void> = Promise.resolve();
  /** Settles when the pod's containers have been stopped because the pod's deadline has passed. */
  #overrunning: Promise<void> = Promise.resolve();
  #isReportDue = false;
  #hasEnded = false;
  readonly #starter: ContainerStarter;

  constructor(pod: DeepReadonly<Pod>, options: PodRunOptions) {
    this.#options = options;
    this.#pod = pod;
    this.#key = keyOf(pod);
    this.#uid = pod.metadata.uid;
    this.#ip = options.addresses.take();
    this.#starter = new ContainerStarter({ ...options, ip: this.#ip, pod: () => this.#pod });
    this.#startTime = pod.status?.startTime ?? rfc3339(options.clock.now());
    const podPolicy = pod.spec.restartPolicy ?? "Always";
    const initPolicy = podPolicy === "Never" ? "Never" : "OnFailure";
    const inits = pod.spec.initContainers ?? [];
    this.#inits = inits.map(({ name, restartPolicy }) => ({ name, isSidecar: restartPolicy === "Always" }));
    this.#events = podEvents(pod, options.recorder ?? silentRecorder);
    this.#probes = new PodProbes({
      pod,
      clock: options.clock,
      onResult: (name, kind, answer) => this.#events.probed(name, kind, answer),
      onChange: () => {
        this.#advance();
        this.report();
      },
      onDead: (name, kind) => this.#restart(name, kind),
    });
    this.#mains = pod.spec.containers.map(({ name }) => name);
    this.#runs = new Map(
      [...inits, ...pod.spec.containers].map((container) => {
        const { name } = container;
        const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
        const before = statuses.find((status) => status.name === name);
        const run = new ContainerRun({
          clock: options.clock,
          restarts: (code) => restartsAfter(inits.includes(container) ? initPolicy : podPolicy, container, code),
          restartCount: before ? before.restartCount + (before.state?.running ? 1 : 0) : 0,
          start: (restartCount) => this.#starter.start(this.#pod, name, restartCount),
          afterStart: (running, signal) => this.#runPostStart(container, running, signal),
          endMessage: (running, code) => this.#starter.endMessage(container, running, code),
          onChange: () => {
            this.#events.changed(name, run.state);
            this.#probes.follow(name, run);
            this.#advance();
            this.report();
          },
        });
        return [name, run];
      }),
    );
  }

  /**
   * Returns a container's log.
   *
   * @returns `undefined` for a container that is not in the specification
   *
   * @throws {StatusError} 400 if there is no log yet
   */
  log(container: string, previous: boolean): ContainerLog | undefined {
    const run = this.#runs.get(container);
    if (!run) return undefined;
    const isYetToCome = this.#inits.some(({ name }) => name === container) || !this.#isInitialized;
    return this.#starter.logs.find(
      { pod: this.#pod.metadata.name, name: container, state: run.state, isYetToCome },
      previous,
    );
  }

  /** The containers that are running now. */
  get running(): readonly RunningContainer[] {
    return [...this.#runs.values()].flatMap(({ running }) => running ?? []);
  }

  /** Returns a container's current run, or `undefined` if the container is not running. */
  runningContainer(name: string): RunningContainer | undefined {
    return this.#runs.get(name)?.running;
  }

  /** The last known state of the Pod object. */
  get pod(): DeepReadonly<Pod> {
    return this.#pod;
  }

  /** True if all containers have terminated for good. */
  get isOver(): boolean {
    return this.#mains.every((name) => this.#runs.get(name)?.isOver);
  }

  get uid(): string | undefined {
    return this.#uid;
  }

  begin(): void {
    this.#advance();
    this.report();
  }

  /** Processes a change to the pod. */
  update(pod: DeepReadonly<Pod>): void {
    const { metadata, spec } = pod;
    this.#keepDeadline(spec.activeDeadlineSeconds);
    const before = imagesOf(this.#pod);
    this.#pod = pod;
    for (const [name, image] of imagesOf(pod)) if (before.get(name) !== image) void this.#runs.get(name)?.kill();
    const gates = closedGates(pod).join();
    if (metadata.generation === this.#generation && gates === this.#gates) return;
    this.#generation = metadata.generation;
    this.#gates = gates;
    this.report();
  }

  /**
   * Starts the containers that can start now: first the init containers one after another, then all other containers. Sidecars run as long
   * as the other containers.
   */
  #advance(): void {
    if (this.#hasEnded) return;
    for (const init of this.#inits) {
      this.#runs.get(init.name)?.begin();
      if (!this.#isDone(init)) return;
    }
    const mains = this.#mains.flatMap((name) => this.#runs.get(name) ?? []);
    for (const run of mains) run.begin();
    if (!mains.every((run) => run.isOver)) return;
    for (const { name, isSidecar } of this.#inits) if (isSidecar) void this.#runs.get(name)?.end();
  }

  /** True if an init container has succeeded or a sidecar has started, so that the next containers need not wait for it. */
  #isDone({ name, isSidecar }: { readonly name: string; readonly isSidecar: boolean }): boolean {
    const run = this.#runs.get(name);
    return isSidecar
      ? (run?.state.phase === "running" && this.#probes.isStarted(name)) || run?.last !== undefined
      : run?.state.phase === "terminated" && run.state.exitCode === 0;
  }

  get #isInitialized(): boolean {
    return this.#inits.every((init) => this.#isDone(init));
  }

  /** Restarts a container after a failed probe. */
  #restart(name: string, kind: ProbeKind): void {
    this.#events.givenUp(name, kind);
    void this.#runs.get(name)?.kill();
  }

  /** Returns how much longer the containers of a pod that is being deleted continue to run, because their `preStop` hooks run first. */
  lingerMs(pod: DeepReadonly<Pod>): number {
    const { clock } = this.#options;
    if (this.#goingSince === undefined) {
      this.#goingSince = clock.now();
      if (sendsOnStop(pod)) void this.#runPreStop(pod);
    }
    const elapsedMs = clock.now() - this.#goingSince;
    const leftMs = lingerMs(pod, this.#runs) - elapsedMs;
    return this.#hasPreStop ? Math.max(leftMs, Math.min(hookPollMs, graceMs(pod) - elapsedMs)) : leftMs;
  }

  async #runPreStop(pod: DeepReadonly<Pod>): Promise<void> {
    this.#hasPreStop = true;
    const tooLate = new AbortController();
    const timer = this.#options.clock.after(graceMs(pod), () => tooLate.abort());
    await runPreStopHooks(pod, this.#runs, tooLate.signal, (name, reason) =>
      this.#events.hookFailed(name, "PreStop", reason),
    );
    timer.cancel();
    this.#hasPreStop = false;
  }

  async #runPostStart(
    { name, lifecycle }: Container,
    running: RunningContainer,
    signal: AbortSignal,
  ): Promise<boolean> {
    const hook = lifecycle?.postStart;
    if (hook?.sleep) await this.#options.clock.sleep(Number(hook.sleep.seconds) * 1_000, signal);
    const reason = await hookFailure(hook, running, signal);
    if (reason !== undefined) this.#events.hookFailed(name, "PostStart", reason);
    return reason === undefined;
  }

  #keepDeadline(seconds: number | undefined): void {
    if (seconds === this.#deadlineSeconds) return;
    this.#deadlineSeconds = seconds;
    this.#deadline?.cancel();
    if (seconds === undefined) return;
    const left = Date.parse(this.#startTime) + seconds * 1_000 - this.#options.clock.now();
    this.#deadline = this.#options.clock.after(Math.min(Math.max(0, left), 2 ** 31 - 1), () => {
      this.#overrun = deadlineExceeded;
      this.#overrunning = this.#stopAll().then(() => this.report());
    });
  }

  async #stopAll(graceMs?: number): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.end(graceMs)));
  }

  /** Kills every container once, so that the containers are restarted according to their restart policies. */
  async crash(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.kill()));
  }

  /** Stops all containers and gives the pod's address back to the pool. @param graceMs maximum time for a graceful stop. Default 0 */
  async end(graceMs?: number): Promise<void> {
    this.#hasEnded = true;
    this.#deadline?.cancel();
    this.#probes.end();
    await this.#stopAll(graceMs);
    await this.#overrunning;
    await this.#starter.end();
    await this.#reporting;
    this.#options.addresses.giveBack(this.#ip);
  }

  /** Writes a deleted pod's status one last time, so that it shows that the containers have terminated. Call it after {@link end}. */
  async reportEnd(): Promise<void> {
    await this.#reportOnce().catch((err: unknown) =>
      this.#options.log.debug({ pod: this.#key, err }, "cannot report that the pod has ended"),
    );
  }

  /** Schedules a write of the pod's current status to the API server. At least one write starts after this call. */
  report(): void {
    if (this.#isReportDue) return;
    this.#isReportDue = true;
    this.#reporting = this.#reporting.then(async () => {
      this.#isReportDue = false;
      if (!this.#hasEnded) await this.#reportUntilAccepted();
    });
  }

  async #reportUntilAccepted(): Promise<void> {
    const { clock, log } = this.#options;
    for (let pauseMs = 100; !this.#hasEnded; pauseMs = Math.min(pauseMs * 2, 5_000)) {
      try {
        return await this.#reportOnce();
      } catch (error) {
        log.debug({ pod: this.#key, err: error }, "cannot report the pod's status; retrying");
        await clock.sleep(pauseMs);
      }
    }
  }

  async #reportOnce(): Promise<void> {
    const { client, clock, hostIp } = this.#options;
    const pod = await client.get(Pod, this.#key).catch(ignoreNotFound);
    if (!pod || pod.metadata.uid !== this.#uid) return;
    const annotations = Object.assign({}, ...[...this.#runs.values()].map((run) => run.annotations)) as Record<
      string,
      string
    >;
    if (Object.entries(annotations).some(([key, value]) => pod.metadata.annotations?.[key] !== value))
      await client.patch(Pod, this.#key, { metadata: { annotations } }).catch(ignoreNotFound);
    const status = podStatus(
      pod,
      this.#runs,
      {
        ip: this.#ip,
        hostIp,
        startTime: this.#startTime,
        overrun: this.#overrun,
        probes: this.#probes,
      },
      rfc3339(clock.now()),
    );
    if (isDeepStrictEqual(status, pod.status)) return;
    await client.status
      .patch(Pod, this.#key, statusPatch(status, pod), { type: "strategic" })
      .catch((error: unknown) => (isConflict(error) ? this.report() : ignoreNotFound(error)));
  }
}
