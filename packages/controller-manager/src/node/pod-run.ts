import { isDeepStrictEqual } from "node:util";
import { type DeepReadonly, ignoreNotFound, isConflict, keyOf } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { Pod, Secret } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { AddressPool } from "./address-pool.ts";
import { ContainerRun } from "./container-run.ts";
import { type ImageRegistry, registeredRunner } from "./image-registry.ts";
import { podStatus } from "./pod-status.ts";
import { simulatedImage } from "./simulated-image.ts";

export interface PodRunOptions {
  /** Reads the API server, not a cache: secrets are read at the moment of a start. */
  readonly client: Reader & Writer;
  readonly images: ImageRegistry;
  readonly addresses: AddressPool;
  readonly hostIp: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One pod on this node: its containers, its address, and what the API server is told about it. */
export class PodRun {
  readonly #options: PodRunOptions;
  readonly #key: string;
  readonly #uid: string | undefined;
  readonly #runs: ReadonlyMap<string, ContainerRun>;
  readonly #ip: string;
  readonly #startTime: string;
  #reporting: Promise<void> = Promise.resolve();
  #isReportDue = false;
  #hasEnded = false;

  constructor(pod: DeepReadonly<Pod>, options: PodRunOptions) {
    this.#options = options;
    this.#key = keyOf(pod);
    this.#uid = pod.metadata.uid;
    this.#ip = options.addresses.take();
    this.#startTime = pod.status?.startTime ?? rfc3339(options.clock.now());
    this.#runs = new Map(
      pod.spec.containers.map(({ name, image }) => {
        const before = pod.status?.containerStatuses?.find((status) => status.name === name);
        const run = new ContainerRun({
          clock: options.clock,
          restartPolicy: (pod.spec.restartPolicy ?? "Always") as "Always" | "OnFailure" | "Never",
          restartCount: before ? before.restartCount + (before.state?.running ? 1 : 0) : 0,
          start: (restartCount) => {
            const runner = registeredRunner(options.images, image ?? "") ?? simulatedImage(options.clock);
            return runner({
              pod,
              container: name,
              ip: this.#ip,
              restartCount,
              readSecret: (secret) => this.#readSecret(pod.metadata.namespace, secret),
              log: options.log.child({ pod: this.#key, container: name }),
            });
          },
          onChange: () => this.report(),
        });
        return [name, run];
      }),
    );
  }

  get uid(): string | undefined {
    return this.#uid;
  }

  begin(): void {
    for (const run of this.#runs.values()) run.begin();
    this.report();
  }

  /** Lets every container crash once. */
  async crash(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.kill()));
  }

  /** Stops all containers and gives the address back. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all([...this.#runs.values()].map((run) => run.end()));
    await this.#reporting;
    this.#options.addresses.giveBack(this.#ip);
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
      { ip: this.#ip, hostIp, startTime: this.#startTime },
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
