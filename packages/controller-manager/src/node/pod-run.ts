import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, ignoreNotFound, isConflict, keyOf } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { Pod, Secret } from "@kubewright/client/kinds";
import { type Clock, rfc3339, type Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { AddressPool } from "./address-pool.ts";
import { containerEnv } from "./container-env.ts";
import { ContainerRun } from "./container-run.ts";
import { type ImageRegistry, registeredRunner } from "./image-registry.ts";
import { type Overrun, podStatus } from "./pod-status.ts";
import { endless, simulatedRun } from "./simulated-command.ts";
import type { SimulatedFiles } from "./simulated-files.ts";
import { simulatedImage } from "./simulated-image.ts";

export interface PodRunOptions {
  /** Reads the API server, not a cache: secrets are read at the moment of a start. */
  readonly client: Reader & Writer;
  readonly images: ImageRegistry;
  readonly addresses: AddressPool;
  readonly files: SimulatedFiles;
  readonly hostIp: string;
  readonly clock: Clock;
  readonly log: Logger;
}

type RestartPolicy = "Always" | "OnFailure" | "Never";

const deadlineExceeded: Overrun = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};

/** One pod on this node: its containers, its address, and what the API server is told about it. */
export class PodRun {
  readonly #options: PodRunOptions;
  readonly #key: string;
  readonly #pod: DeepReadonly<Pod>;
  readonly #uid: string | undefined;
  readonly #runs: ReadonlyMap<string, ContainerRun>;
  readonly #ip: string;
  readonly #startTime: string;
  readonly #inits: readonly { readonly name: string; readonly isSidecar: boolean }[];
  readonly #mains: readonly string[];
  #generation: number | undefined;
  #deadlineSeconds: number | undefined;
  #deadline: Timer | undefined;
  #probe: Timer | undefined;
  #overrun: Overrun | undefined;
  #reporting: Promise<void> = Promise.resolve();
  #isReportDue = false;
  #hasEnded = false;

  constructor(pod: DeepReadonly<Pod>, options: PodRunOptions) {
    this.#options = options;
    this.#pod = pod;
    this.#key = keyOf(pod);
    this.#uid = pod.metadata.uid;
    this.#ip = options.addresses.take();
    this.#startTime = pod.status?.startTime ?? rfc3339(options.clock.now());
    const podPolicy = (pod.spec.restartPolicy ?? "Always") as RestartPolicy;
    const initPolicy = podPolicy === "Never" ? "Never" : "OnFailure";
    this.#inits = (pod.spec.initContainers ?? []).map(({ name, restartPolicy }) => ({
      name,
      isSidecar: restartPolicy === "Always",
    }));
    const policies = new Map<string, RestartPolicy>(
      this.#inits.map(({ name, isSidecar }) => [name, isSidecar ? "Always" : initPolicy]),
    );
    this.#mains = pod.spec.containers.map(({ name }) => name);
    this.#runs = new Map(
      [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ name, image }) => {
        const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
        const before = statuses.find((status) => status.name === name);
        const run = new ContainerRun({
          clock: options.clock,
          restartPolicy: policies.get(name) ?? podPolicy,
          restartCount: before ? before.restartCount + (before.state?.running ? 1 : 0) : 0,
          start: (restartCount) => {
            const runner =
              registeredRunner(options.images, image ?? "") ?? simulatedImage(options.clock, options.files);
            return runner({
              pod,
              container: name,
              ip: this.#ip,
              restartCount,
              readSecret: (secret) => this.#readSecret(pod.metadata.namespace, secret),
              log: options.log.child({ pod: this.#key, container: name }),
            });
          },
          onChange: () => {
            this.#advance();
            this.report();
          },
        });
        return [name, run];
      }),
    );
  }

  /** As it was when it began. */
  get pod(): DeepReadonly<Pod> {
    return this.#pod;
  }

  /** All of its containers have ended for good. */
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

  /** Takes notice of a change of the pod. */
  update({ metadata, spec }: DeepReadonly<Pod>): void {
    this.#keepDeadline(spec.activeDeadlineSeconds);
    if (metadata.generation === this.#generation) return;
    this.#generation = metadata.generation;
    this.report();
  }

  /** One init container after the other, then all others; sidecars stay as long as those. */
  #advance(): void {
    if (this.#hasEnded) return;
    for (const { name, isSidecar } of this.#inits) {
      const run = this.#runs.get(name);
      run?.begin();
      const isDone = isSidecar
        ? run?.state.phase === "running" || run?.last !== undefined
        : run?.state.phase === "terminated" && run.state.exitCode === 0;
      if (!isDone) return;
    }
    const mains = this.#mains.flatMap((name) => this.#runs.get(name) ?? []);
    for (const run of mains) run.begin();
    if (!mains.every((run) => run.isOver)) return;
    for (const { name, isSidecar } of this.#inits) if (isSidecar) void this.#runs.get(name)?.end();
  }

  /** What its readiness probe would say, where that is a simulated command; other probes succeed once they begin. */
  #isReady(name: string): boolean {
    const container = this.#pod.spec.containers.find((each) => each.name === name);
    const probe = container?.readinessProbe;
    const run = this.#runs.get(name);
    if (!probe || run?.state.phase !== "running") return true;
    const { clock, files } = this.#options;
    const delay = Date.parse(run.state.startedAt) + (probe.initialDelaySeconds ?? 0) * 1_000 - clock.now();
    if (delay > 0) {
      this.#probe ??= clock.after(delay, () => {
        this.#probe = undefined;
        this.report();
      });
      return false;
    }
    const world = {
      env: containerEnv(this.#pod, container),
      files: files.of(this.#pod, container, run.restartCount),
      random: Math.random,
    };
    const result = simulatedRun(probe.exec?.command ?? [], world);
    return result === undefined || result === endless || result.exitCode === 0;
  }

  #keepDeadline(seconds: number | undefined): void {
    if (seconds === this.#deadlineSeconds) return;
    this.#deadlineSeconds = seconds;
    this.#deadline?.cancel();
    if (seconds === undefined) return;
    const left = Date.parse(this.#startTime) + seconds * 1_000 - this.#options.clock.now();
    this.#deadline = this.#options.clock.after(Math.min(Math.max(0, left), 2 ** 31 - 1), () => {
      this.#overrun = deadlineExceeded;
      void this.#stopAll().then(() => this.report());
    });
  }

  async #stopAll(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.end()));
  }

  /** Lets every container crash once. */
  async crash(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.kill()));
  }

  /** Stops all containers and gives the address back. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#deadline?.cancel();
    this.#probe?.cancel();
    await this.#stopAll();
    await this.#reporting;
    this.#options.addresses.giveBack(this.#ip);
    this.#options.files.forget(this.#uid ?? "");
  }

  /** After {@link end}: tells how the containers ended, as a pod that is being deleted is told of once more. */
  async reportEnd(): Promise<void> {
    await this.#reportOnce().catch((err: unknown) =>
      this.#options.log.debug({ pod: this.#key, err }, "could not report how the pod ended"),
    );
  }

  /** Tells the API server the present state, soon and at least once more after this call. Never rejects. */
  report(): void {
    if (this.#isReportDue) return;
    this.#isReportDue = true;
    this.#reporting = this.#reporting.then(async () => {
      this.#isReportDue = false;
      if (!this.#hasEnded) await this.#reportUntilTaken();
    });
  }

  async #reportUntilTaken(): Promise<void> {
    const { clock, log } = this.#options;
    for (let pauseMs = 100; !this.#hasEnded; pauseMs = Math.min(pauseMs * 2, 5_000)) {
      try {
        return await this.#reportOnce();
      } catch (error) {
        log.debug({ pod: this.#key, err: error }, "could not report the pod's status, trying again");
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
        isReady: (name) => this.#isReady(name),
      },
      rfc3339(clock.now()),
    );
    if (isDeepStrictEqual(status, pod.status)) return;
    await client.status
      .patch(Pod, this.#key, status)
      .catch((error: unknown) => (isConflict(error) ? this.report() : ignoreNotFound(error)));
  }

  async #readSecret(namespace: string | undefined, name: string): Promise<ReadonlyMap<string, string> | undefined> {
    const secret = await this.#options.client.get(Secret, { namespace, name }).catch(ignoreNotFound);
    return (
      secret &&
      new Map(
        Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
      )
    );
  }
}
