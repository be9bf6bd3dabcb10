import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Logger } from "@kubewright/log";

/** What a container gets to start with. */
export interface ContainerContext {
  readonly pod: DeepReadonly<Pod>;
  /** The container's name in the pod. */
  readonly container: string;
  /** The pod's address; loopback, shared with other pods where the machine has only one. */
  readonly ip: string;
  /** 0 at the first start of this container in this pod. */
  readonly restartCount: number;
  /** The values of a Secret in the pod's namespace, decoded; `undefined` if there is none. */
  readSecret(name: string): Promise<ReadonlyMap<string, string> | undefined>;
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
}

/** Starts what an image stands for. Rejecting means that the container could not be started, and is tried again. */
export type ImageRunner = (context: ContainerContext) => Promise<RunningContainer>;

/** Which images stand for something. Names are without tag or digest: `kubewright/cnf-simulator`. */
export type ImageRegistry = Readonly<Record<string, ImageRunner>>;

/** `registry.example.com:5000/team/web:1.2@sha256:…` without tag and digest. */
export function imageName(image: string): string {
  const [named = ""] = image.split("@");
  const colon = named.lastIndexOf(":");
  return colon > named.lastIndexOf("/") ? named.slice(0, colon) : named;
}

/** The runner of an image that somebody registered. */
export function registeredRunner(images: ImageRegistry, image: string): ImageRunner | undefined {
  return ownMember(images, imageName(image));
}
