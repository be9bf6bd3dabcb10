import {
  badRequest,
  type DeepReadonly,
  ignoreNotFound,
  isConflict,
  keyOf,
  type ObjectKey,
  type StatusError,
  tooManyRequests,
} from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { Node, Pod } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { ReconcileContext, Reconciler, Result } from "@kubewright/controller";
import type {
  ContainerExecRequest,
  ContainerLogRequest,
  ContainerRequest,
  ContainerSession,
  PodDialer,
  PodRequest,
} from "@kubewright/kube-apiserver";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { AddressPool } from "./address-pool.ts";
import { type ImageRegistry, type RunningContainer, registeredRunner } from "./image-registry.ts";
import { keepNode, type NodeObjectOptions } from "./node-object.ts";
import { PodRun } from "./pod-run.ts";
import { type Rejection, refusalOf, rejectionOn } from "./rejection.ts";
import { simulation } from "./simulated-image.ts";

/** Options for a simulated node's agent. */
export interface NodeAgentOptions {
  readonly client: Reader & Writer;
  readonly node: NodeObjectOptions;
  readonly images: ImageRegistry;
  /** URL of the API server, such as `https://127.0.0.1:6443`. */
  readonly apiServer: string;
  /** Pool of addresses for pods whose images listen on ports. */
  readonly addresses: AddressPool;
  /** Pool of addresses for pods that do not listen on any port. */
  readonly unreachable: AddressPool;
  readonly clock: Clock;
  readonly log: Logger;
  /** Recorder for events about pods. Default: no events are emitted. */
  readonly recorder?: EventRecorder | undefined;
}

/** Maximum number of commands and attached clients on a node at the same time, because each of them uses processes or memory. */
const maxSessions = 100;

/**
 * "Runs" one node's pods: starts their images, reports their status to the API server, and stops them when they are deleted.
 *
 * @see kubernetes pkg/kubelet
 */
export class NodeAgent {
  readonly group = "others";
  readonly #options: NodeAgentOptions;
  readonly #pods = new Map<ObjectKey, PodRun>();
  #sessions = 0;

  constructor(options: NodeAgentOptions) {
    this.#options = options;
  }

  /**
   * Runs the node: registers it and renews its lease. When the signal aborts, stops all containers, but leaves the Pod objects unchanged.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { client, node, clock, log } = this.#options;
    await keepNode(client, node, { clock, log, signal });
    await Promise.all([...this.#pods.values()].map((pod) => pod.end()));
    this.#pods.clear();
  }

  /** True if a pod belongs to this node. */
  isOurs(pod: DeepReadonly<Pod>): boolean {
    return pod.spec.nodeName === this.#options.node.name;
  }

  /**
   * Kills each of a pod's containers once, as `docker kill` would. They are then restarted according to their restart policies.
   *
   * @throws {Error} if the pod does not run on this node
   */
  async crash(key: ObjectKey): Promise<void> {
    const run = this.#pods.get(key);
    if (!run) throw new Error(`pod ${key} does not run on node ${this.#options.node.name}`);
    await run.crash();
  }

  /** Name of the node. */
  get name(): string {
    return this.#options.node.name;
  }

  /**
   * Yields a container's log in chunks, or nothing if the log is no longer available.
   *
   * @param signal when aborted, ends a log that is being followed
   *
   * @throws {StatusError} 400 if the container has not started or has no previous run
   */
  async containerLog(request: ContainerLogRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { namespace, pod: name, podUid, container, previous = false, sinceSeconds, ...wanted } = request;
    const run = this.#runOf({ namespace, pod: name, podUid });
    if (!run) {
      const pod = await this.#options.client.get(Pod, { namespace, name }).catch(ignoreNotFound);
      if (pod?.status?.phase === "Succeeded" || pod?.status?.phase === "Failed" || pod?.metadata.deletionTimestamp)
        return nothing();
      throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ContainerCreating`);
    }
    const sinceMs = sinceSeconds === undefined ? wanted.sinceMs : this.#options.clock.now() - sinceSeconds * 1_000;
    return (
      run.log(container, previous)?.read({ ...wanted, ...(sinceMs === undefined ? {} : { sinceMs }) }, signal) ??
      nothing()
    );
  }

  /**
   * Finds a running container in which a client wants to run a command.
   *
   * @throws {Error} the kubelet's error, if the container is not running
   * @throws {StatusError} 400 if nothing runs in the container, because it is only simulated
   */
  exec(request: ContainerExecRequest): ContainerSession {
    const { container, command } = request;
    const running = this.#running(request, `container not found ("${container}")`);
    const exec = running.exec?.bind(running);
    return exec ? this.#limited((streams, signal) => exec(command, streams, signal)) : refuse(request);
  }

  /** Finds a running container to whose process a client wants to attach. Errors are the same as for {@link exec}. */
  attach(request: ContainerRequest): ContainerSession {
    const { namespace, pod, container } = request;
    const running = this.#running(request, `container ${container} not found in pod ${pod}_${namespace}`);
    const attach = running.attach?.bind(running);
    if (!attach) return refuse(request);
    return this.#limited(async (streams, signal) => {
      await attach(streams, signal);
      return 0;
    });
  }

  /** Returns a session that counts towards the node's maximum until it ends, and fails with 429 beyond the maximum. */
  #limited(session: ContainerSession): ContainerSession {
    return async (streams, signal) => {
      if (this.#sessions >= maxSessions)
        throw tooManyRequests(`node ${this.name} already serves ${maxSessions} commands and attached clients`, 1);
      this.#sessions++;
      try {
        return await session(streams, signal);
      } finally {
        this.#sessions--;
      }
    };
  }

  /** Finds a running pod to whose ports a client wants to connect. Errors are the same as for {@link exec}. */
  portForward(request: PodRequest): PodDialer {
    const { namespace, pod } = request;
    const running = this.#runOf(request)?.running ?? [];
    if (running.length === 0) throw new Error(`pod not found ("${pod}_${namespace}")`);
    const dialers = running.flatMap((each) => each.connect?.bind(each) ?? []);
    if (dialers.length === 0) throw simulated(`pod "${pod}"`, "it does not listen on any port");
    return (port, signal) => Promise.any(dialers.map((dial) => dial(port, signal))).catch(firstError);
  }

  #running(request: ContainerRequest, otherwise: string): RunningContainer {
    const running = this.#runOf(request)?.runningContainer(request.container);
    if (!running) throw new Error(otherwise);
    return running;
  }

  #runOf({ namespace, pod, podUid }: PodRequest): PodRun | undefined {
    const run = this.#pods.get(keyOf({ metadata: { namespace, name: pod } }));
    return run?.uid === podUid ? run : undefined;
  }

  /** Reconciler that runs this node's pods, for a pod controller. It ignores pods on other nodes. */
  get reconcile(): Reconciler {
    return async (key, context) => {
      const pod = await context.client.get(Pod, key).catch(ignoreNotFound);
      const run = this.#pods.get(key);
      if (run && run.uid !== pod?.metadata.uid) {
        this.#pods.delete(key);
        await run.end();
      }
      if (!pod || !this.isOurs(pod)) return undefined;
      if (pod.metadata.deletionTimestamp !== undefined) return await this.#terminate(key, pod);
      if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed" || context.signal.aborted)
        return undefined;
      if (pod.metadata.annotations?.[simulation.hold] === "true") return undefined;
      if (!this.#pods.has(key)) {
        const rejection = await this.#rejectionOf(pod, context);
        if (rejection) {
          await this.#reject(pod, rejection);
          return undefined;
        }
        this.#begin(key, pod);
      }
      this.#pods.get(key)?.update(pod);
      return undefined;
    };
  }

  /**
   * Returns the reason why this node rejects a pod, if any. The node itself must check this, because a pod may be assigned to it without a
   * scheduler.
   *
   * @see kubernetes pkg/kubelet/lifecycle/predicate.go
   */
  async #rejectionOf(pod: DeepReadonly<Pod>, { client }: ReconcileContext): Promise<Rejection | undefined> {
    if ((pod.status?.phase ?? "Pending") !== "Pending") return undefined;
    const refusal = refusalOf(pod);
    if (refusal) return refusal;
    const node = await client.get(Node, this.#options.node.name).catch(ignoreNotFound);
    const neighbours = [...this.#pods.values()].filter((run) => !run.isOver).map((run) => run.pod);
    return node && rejectionOn(node, pod, neighbours);
  }

  async #reject(pod: DeepReadonly<Pod>, { reason, message }: Rejection): Promise<void> {
    const status = {
      phase: "Failed",
      reason,
      message: `Pod was rejected: ${message}`,
      startTime: rfc3339(this.#options.clock.now()),
      observedGeneration: pod.metadata.generation ?? null,
    };
    await this.#options.client.status
      .patch(Pod, keyOf(pod), status)
      .catch((error: unknown) => (isConflict(error) ? undefined : ignoreNotFound(error)));
  }

  #begin(key: ObjectKey, pod: DeepReadonly<Pod>): void {
    const { client, images, addresses, apiServer, clock, log, node, recorder } = this.#options;
    const isReachable = pod.spec.containers.some(({ image }) => registeredRunner(images, image ?? ""));
    const pool = isReachable ? addresses : this.#options.unreachable;
    const run = new PodRun(pod, {
      client,
      images,
      addresses: pool,
      hostIp: node.ip,
      apiServer,
      clock,
      log,
      ...(recorder ? { recorder } : {}),
    });
    this.#pods.set(key, run);
    run.begin();
  }

  async #terminate(key: ObjectKey, pod: DeepReadonly<Pod>): Promise<Result | undefined> {
    const run = this.#pods.get(key);
    const lingerMs = run?.lingerMs(pod) ?? 0;
    if (lingerMs > 0) return { requeueAfterMs: lingerMs };
    this.#pods.delete(key);
    await run?.end(Number(pod.metadata.deletionGracePeriodSeconds ?? 0) * 1_000);
    await run?.reportEnd();
    await this.#options.client
      .delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } })
      .catch((error: unknown) => (isConflict(error) ? undefined : ignoreNotFound(error)));
    return undefined;
  }
}

function refuse({ pod, container }: ContainerRequest): never {
  throw simulated(`container "${container}" in pod "${pod}"`, "nothing runs in it");
}

const simulated = (what: string, consequence: string): StatusError =>
  badRequest(
    `${what} is simulated, so ${consequence}; only images that run as processes (see --process-images) can do this`,
  );

function firstError(error: unknown): never {
  throw error instanceof AggregateError ? error.errors[0] : error;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
