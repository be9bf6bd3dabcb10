import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Logger } from "@kubewright/log";
import type { ContainerOutput } from "./log/container-log.ts";
import type { PodSources } from "./pod-sources.ts";
import type { Probe, ProbeResult } from "./probe.ts";

/** Context in which a container is started. */
export interface ContainerContext {
  readonly pod: DeepReadonly<Pod>;
  /** The container's name in the pod. */
  readonly container: string;
  /** The pod's address: loopback, shared with other pods if the machine has only one. */
  readonly ip: string;
  /** Number of restarts: 0 when this container starts for the first time in this pod. */
  readonly restartCount: number;
  /** The address of the pod's node. */
  readonly hostIp: string;
  /** `https://host:port` of the API server. */
  readonly apiServer: string;
  /** Returns the decoded values of a Secret in the pod's namespace, or `undefined` if the Secret does not exist. */
  readSecret(name: string): Promise<ReadonlyMap<string, string> | undefined>;
  /** Other data for the pod. */
  readonly sources: PodSources;
  /** Output that `kubectl logs` shows. */
  readonly output: ContainerOutput;
  /** Registers a cleanup function that runs after the pod's containers have terminated for good and before the pod is removed. */
  atPodEnd(cleanUp: () => Promise<void>): void;
  /** Logger for the control plane's messages to the developer, as opposed to {@link output}. */
  readonly log: Logger;
}

/** A running container. */
export interface RunningContainer {
  /** Resolves to the exit code when the container exits on its own or because of {@link stop}. Never rejects. */
  readonly exited: Promise<number>;
  /** Stops the container. Resolves when the container has ended completely. @param graceMs maximum time. Default: unlimited */
  stop(graceMs?: number): Promise<void>;
  /** Annotations that are written to the pod before it becomes ready, such as its services' addresses. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Runs the container's `httpGet` and `tcpSocket` probes. By default, they succeed. */
  probe?(probe: Probe, signal: AbortSignal): Promise<ProbeResult>;
}

/** Starts a container from an image. If the promise rejects, the container could not be started and the start is retried. */
export type ImageRunner = ((context: ContainerContext) => Promise<RunningContainer>) & {
  /** True if the runner starts programs that pods specify. This is allowed only in control planes that other machines cannot reach. */
  readonly startsProcesses?: boolean | undefined;
};

/**
 * Runners by image. A name without a tag or digest (`kubewright/cnf-simulator`) matches any of them; a name with one
 * (`docker.io/library/node:24.21.0-slim`) matches only that image.
 */
export type ImageRegistry = Readonly<Record<string, ImageRunner>>;

/** Removes the tag and digest from an image name such as `registry.example.com:5000/team/web:1.2@sha256:…`. */
export function imageName(image: string): string {
  const [named = ""] = image.split("@");
  const colon = named.lastIndexOf(":");
  return colon > named.lastIndexOf("/") ? named.slice(0, colon) : named;
}

/** Returns the runner registered for an image. */
export function registeredRunner(images: ImageRegistry, image: string): ImageRunner | undefined {
  return ownMember(images, image) ?? ownMember(images, imageName(image));
}
