import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { ContainerStreams, PodDialer } from "@kubewright/kube-apiserver";
import type { Logger } from "@kubewright/log";
import type { ContainerOutput } from "./log/container-log.ts";
import type { PodSources } from "./pod-sources.ts";
import type { Probe, ProbeResult } from "./probe.ts";
import type { PodVolumes } from "./process/volume-files.ts";

/** Context passed to an image's runner when it starts a container. */
export interface ContainerContext {
  readonly pod: DeepReadonly<Pod>;
  /** The container's name in the pod. */
  readonly container: string;
  /** The pod's IP address. If the machine has only one loopback address, all pods share it. */
  readonly ip: string;
  /** Number of times the container has been restarted in this pod; 0 when it starts for the first time. */
  readonly restartCount: number;
  /** The IP address of the pod's node. */
  readonly hostIp: string;
  /** URL of the API server, such as `https://127.0.0.1:6443`. */
  readonly apiServer: string;
  /** Returns the decoded values of a Secret in the pod's namespace, or `undefined` if the Secret does not exist. */
  readSecret(name: string): Promise<ReadonlyMap<string, string> | undefined>;
  /** Data from the pod's namespace: Secrets, ConfigMaps and tokens. */
  readonly sources: PodSources;
  /** The pod's volumes, from which the container mounts some. */
  readonly volumes: PodVolumes;
  /**
   * Returns the environment variables that the container's specification defines.
   *
   * @throws if an object, key or field does not exist. If the runner throws the same error, the container waits with
   * `CreateContainerConfigError`
   */
  env(): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns texts, such as the words of a command, with the values of variables such as `$(NAME)`.
   *
   * @throws {RangeError} if the values of the variables exceed 2 Mi characters in total
   */
  expand(texts: readonly string[], env: ReadonlyMap<string, string>): readonly string[];
  /** The container's output, which `kubectl logs` shows. */
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
  /**
   * Stops the container. Resolves when the container has terminated.
   *
   * @param graceMs maximum time for a graceful stop. Default: unlimited
   */
  stop(graceMs?: number): Promise<void>;
  /**
   * Returns the content of the file at the container's `terminationMessagePath`. It is called when the container has terminated; longer
   * messages than 4 KiB are truncated. Default: no message.
   */
  terminationMessage?(): Promise<string>;
  /** Annotations that are written to the pod before it becomes ready, such as its services' addresses. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Runs the container's `httpGet` and `tcpSocket` probes. By default, they succeed. */
  probe?(probe: Probe, signal: AbortSignal): Promise<ProbeResult>;
  /**
   * Runs a command in the container, for `kubectl exec`. By default, `kubectl exec` fails because nothing runs in the container.
   *
   * @param signal when aborted, ends the command, because its client has disconnected
   *
   * @returns the command's exit code
   * @throws {Error} if the command cannot be started
   */
  exec?(command: readonly string[], streams: ContainerStreams, signal: AbortSignal): Promise<number>;
  /**
   * Connects a client to the container's input and output, for `kubectl attach`, until the container terminates or the signal aborts. By
   * default, `kubectl attach` fails because nothing runs in the container.
   */
  attach?(streams: ContainerStreams, signal: AbortSignal): Promise<void>;
  /** Connects to one of the container's ports, for `kubectl port-forward`. By default, nothing listens. @throws {Error} if nothing listens */
  connect?: PodDialer | undefined;
}

/**
 * Starts a container from an image. If the promise rejects, the container could not be started, and another attempt is
 * made later.
 */
export type ImageRunner = ((context: ContainerContext) => Promise<RunningContainer>) & {
  /** True if the runner starts programs that pods specify. This is allowed only in control planes that other machines cannot reach. */
  readonly startsProcesses?: boolean | undefined;
};

/**
 * Runners, keyed by image name. A name without a tag or digest (`kubewright/cnf-simulator`) matches the image with any
 * tag or digest. A name with a tag or digest (`docker.io/library/node:24.21.0-slim`) matches only that image.
 */
export type ImageRegistry = Readonly<Record<string, ImageRunner>>;

/** Removes the tag and digest from an image name such as `registry.example.com:5000/team/web:1.2@sha256:…`. */
export function imageName(image: string): string {
  const [named = ""] = image.split("@");
  const colon = named.lastIndexOf(":");
  return colon > named.lastIndexOf("/") ? named.slice(0, colon) : named;
}

/** Returns the runner that is registered for an image, if any. */
export function registeredRunner(images: ImageRegistry, image: string): ImageRunner | undefined {
  return ownMember(images, image) ?? ownMember(images, imageName(image));
}
