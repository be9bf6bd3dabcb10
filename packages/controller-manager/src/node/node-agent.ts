import { type DeepReadonly, ignoreNotFound, isConflict, keyOf, type ObjectKey } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { Reconciler } from "@kubewright/controller";
import type { Logger } from "@kubewright/log";
import { type AddressPool, unreachableAddresses } from "./address-pool.ts";
import { type ImageRegistry, registeredRunner } from "./image-registry.ts";
import { keepNode, type NodeSettings } from "./node-object.ts";
import { PodRun } from "./pod-run.ts";
import { simulation } from "./simulated-image.ts";

export interface NodeAgentOptions {
  readonly client: Reader & Writer;
  readonly node: NodeSettings;
  readonly images: ImageRegistry;
  readonly addresses: AddressPool;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * "Runs" the pods of one node: starts what their images stand for, tells the API server how they are, and ends them when they are
 * deleted.
 *
 * @see kubernetes pkg/kubelet
 */
export class NodeAgent {
  readonly group = "others";
  readonly #options: NodeAgentOptions;
  readonly #pods = new Map<ObjectKey, PodRun>();
  readonly #unreachable = unreachableAddresses();

  constructor(options: NodeAgentOptions) {
    this.#options = options;
  }

  /** Keeps the node alive; when the signal aborts, stops every container, leaving the pods' objects as they are. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, node, clock, log } = this.#options;
    await keepNode(client, node, { clock, log, signal });
    await Promise.all([...this.#pods.values()].map((pod) => pod.end()));
    this.#pods.clear();
  }

  /** Whether a pod is this node's business. */
  isOurs(pod: DeepReadonly<Pod>): boolean {
    return pod.spec.nodeName === this.#options.node.name;
  }

  /** Lets every container of a pod crash once, as `docker kill` would. @throws {Error} if the pod does not run here */
  async crash(key: ObjectKey): Promise<void> {
    const run = this.#pods.get(key);
    if (!run) throw new Error(`pod ${key} does not run on node ${this.#options.node.name}`);
    await run.crash();
  }

  get reconcile(): Reconciler {
    return async (key, context) => {
      const pod = await context.client.get(Pod, key).catch(ignoreNotFound);
      const run = this.#pods.get(key);
      if (run && run.uid !== pod?.metadata.uid) {
        this.#pods.delete(key);
        await run.end();
      }
      if (!pod || !this.isOurs(pod)) return;
      if (pod.metadata.deletionTimestamp !== undefined) return await this.#terminate(key, pod);
      if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed" || context.signal.aborted) return;
      if (pod.metadata.annotations?.[simulation.hold] === "true") return;
      if (!this.#pods.has(key)) this.#begin(key, pod);
    };
  }

  #begin(key: ObjectKey, pod: DeepReadonly<Pod>): void {
    const { client, images, addresses, clock, log, node } = this.#options;
    const isReachable = pod.spec.containers.some(({ image }) => registeredRunner(images, image ?? ""));
    const pool = isReachable ? addresses : this.#unreachable;
    const run = new PodRun(pod, { client, images, addresses: pool, hostIp: node.ip, clock, log });
    this.#pods.set(key, run);
    run.begin();
  }

  async #terminate(key: ObjectKey, pod: DeepReadonly<Pod>): Promise<void> {
    const run = this.#pods.get(key);
    this.#pods.delete(key);
    await run?.end();
    await this.#options.client
      .delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } })
      .catch((error: unknown) => (isConflict(error) ? undefined : ignoreNotFound(error)));
  }
}
