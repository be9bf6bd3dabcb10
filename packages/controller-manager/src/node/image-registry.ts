import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Logger } from "@kubewright/log";
import type { ContainerOutput } from "./log/container-log.ts";
import type { PodSources } from "./pod-sources.ts";
import type { Probe, ProbeAnswer } from "./probe.ts";

/** Context in which a container starts. */
export interface ContainerContext {
  readonly pod: DeepReadonly<Pod>;
  /** The container's name in the pod. */
  readonly container: string;
  /** The pod's address: loopback, shared with other pods if the machine has only one. */
  readonly ip: string;
  /** 0 at the first start of this container in this pod. */
  readonly restartCount: number;
  /** The address of the pod's node. */
  readonly hostIp: string;
  /** `https://host:port` of the API server. */
  readonly apiServer: string;
  /** Returns the decoded values of a Secret in the pod's namespace; `undefined` if it does not exist. */
  readSecret(name: string): Promise<ReadonlyMap<string, string> | undefined>;
  /** Other data for the pod. */
  readonly sources: PodSources;
  /** Output that `kubectl logs` shows. */
  readonly output: ContainerOutput;
  /** Registers a cleanup that runs after the pod's containers have ended for good and before the pod is removed. */
  atPodEnd(cleanUp: () => Promise<void>): void;
  /** Logger for messages of the plane to its developer, as opposed to {@link output}. */
  readonly log: Logger;
}

/** A running container. */
export interface RunningContainer {
  /** Settles with the exit code when the container ends by itself or by {@link stop}. Never rejects. */
  readonly exited: Promise<number>;
  /** Stops it. Resolves when nothing of it remains. @param graceMs maximum time. Default: unlimited */
  stop(graceMs?: number): Promise<void>;
  /** Annotations for the pod, written before it becomes ready, for example with its services' addresses. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Runs the `httpGet` and `tcpSocket` probes of the container. Default: they succeed. */
  probe?(probe: Probe, signal: AbortSignal): Promise<ProbeAnswer>;
}

/** Starts an image's container. If it rejects, the container could not be started and is retried. */
export type ImageRunner = ((context: ContainerContext) => Promise<RunningContainer>) & {
  /** True if it starts programs from pods, which is allowed only for planes that other machines cannot reach. */
  readonly startsProcesses?: boolean;
};

/**
 * Runners by image. A name without tag or digest matches all of them (`kubewright/cnf-simulator`); with one, only that image
 * (`docker.io/library/node:24.21.0-slim`).
 */
export type ImageRegistry = Readonly<Record<string, ImageRunner>>;

/** Removes tag and digest from `registry.example.com:5000/team/web:1.2@sha256:…`. */
export function imageName(image: string): string {
  const [named = ""] = image.split("@");
  const colon = named.lastIndexOf(":");
  return colon > named.lastIndexOf("/") ? named.slice(0, colon) : named;
}

/** Returns the runner registered for an image. */
export function registeredRunner(images: ImageRegistry, image: string): ImageRunner | undefined {
  return ownMember(images, image) ?? ownMember(images, imageName(image));
}
