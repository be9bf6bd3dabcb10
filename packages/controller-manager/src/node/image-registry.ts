import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Logger } from "@kubewright/log";
import type { ContainerOutput } from "./log/container-log.ts";
import type { PodSources } from "./pod-sources.ts";
import type { Probe, ProbeAnswer } from "./probe.ts";

/** What a container gets to start with. */
export interface ContainerContext {
  readonly pod: DeepReadonly<Pod>;
  /** The container's name in the pod. */
  readonly container: string;
  /** The pod's address; loopback, shared with other pods where the machine has only one. */
  readonly ip: string;
  /** 0 at the first start of this container in this pod. */
  readonly restartCount: number;
  /** The address of the pod's node. */
  readonly hostIp: string;
  /** `https://host:port` of the API server. */
  readonly apiServer: string;
  /** The values of a Secret in the pod's namespace, decoded; `undefined` if there is none. */
  readSecret(name: string): Promise<ReadonlyMap<string, string> | undefined>;
  /** What else the pod may be given. */
  readonly sources: PodSources;
  /** What is written here is what `kubectl logs` shows. */
  readonly output: ContainerOutput;
  /** Has something done once the pod's containers have ended for good and before the pod is gone. */
  atPodEnd(cleanUp: () => Promise<void>): void;
  /** What the plane tells its developer, as opposed to {@link output}. */
  readonly log: Logger;
}

/** A container that runs. */
export interface RunningContainer {
  /** Settles when the container ends by itself or by {@link stop}, with its exit code. Never rejects. */
  readonly exited: Promise<number>;
  /** Ends it. Resolves when nothing of it is left. @param graceMs how long it may take for that. Default: as long as it likes */
  stop(graceMs?: number): Promise<void>;
  /** Put on the pod before it becomes ready: where its services answer, for instance. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Asks the container how it is, as `httpGet` and `tcpSocket` of its probes say. Default: it is well. */
  probe?(probe: Probe, signal: AbortSignal): Promise<ProbeAnswer>;
}

/** Starts what an image stands for. Rejecting means that the container could not be started, and is tried again. */
export type ImageRunner = ((context: ContainerContext) => Promise<RunningContainer>) & {
  /** It starts programs that pods bring along: for planes that are reached from this machine alone. */
  readonly startsProcesses?: boolean;
};

/**
 * Which images stand for something. A name without tag or digest means all of them (`kubewright/cnf-simulator`); with one, that very image
 * (`docker.io/library/node:24.21.0-slim`).
 */
export type ImageRegistry = Readonly<Record<string, ImageRunner>>;

/** `registry.example.com:5000/team/web:1.2@sha256:…` without tag and digest. */
export function imageName(image: string): string {
  const [named = ""] = image.split("@");
  const colon = named.lastIndexOf(":");
  return colon > named.lastIndexOf("/") ? named.slice(0, colon) : named;
}

/** The runner of an image that somebody registered. */
export function registeredRunner(images: ImageRegistry, image: string): ImageRunner | undefined {
  return ownMember(images, image) ?? ownMember(images, imageName(image));
}
