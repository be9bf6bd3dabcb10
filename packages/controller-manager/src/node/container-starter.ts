import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { checkNonRoot, checkSubPaths } from "./container-checks.ts";
import { type ImageRegistry, type RunningContainer, registeredRunner } from "./image-registry.ts";
import { ContainerLog } from "./log/container-log.ts";
import { PodLogs } from "./log/pod-logs.ts";
import { podSources } from "./pod-sources.ts";
import { simulatedImage } from "./simulated-image.ts";

export interface ContainerStarterOptions {
  /**
   * Client that reads from the API server rather than from a cache, because a container must get the current Secrets each time it starts.
   */
  readonly client: Reader & Writer;
  readonly images: ImageRegistry;
  /** The pod's IP address. */
  readonly ip: string;
  readonly hostIp: string;
  /** URL of the API server, such as `https://127.0.0.1:6443`. */
  readonly apiServer: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export const imagesOf = ({ spec }: DeepReadonly<Pod>): ReadonlyMap<string, string> =>
  new Map([...spec.containers, ...(spec.initContainers ?? [])].map(({ name, image = "" }) => [name, image]));

/** Starts a pod's containers. Each container is started by the runner for its image, and gets its own log and access to the pod's data. */
export class ContainerStarter {
  readonly #options: ContainerStarterOptions;
  readonly #cleanUps: (() => Promise<void>)[] = [];
  readonly logs = new PodLogs();

  constructor(options: ContainerStarterOptions) {
    this.#options = options;
  }

  /**
   * Starts a container.
   *
   * @throws {ContainerConfigError} if its user or mounts are not allowed
   * @throws the error of the image's runner, if it cannot start the container
   */
  async start(pod: DeepReadonly<Pod>, name: string, restartCount: number): Promise<RunningContainer> {
    const { images, clock, client, log, ip, hostIp, apiServer } = this.#options;
    const runner = registeredRunner(images, imagesOf(pod).get(name) ?? "") ?? simulatedImage(clock);
    const { namespace = "", name: podName, uid = "" } = pod.metadata;
    const { serviceAccountName = "default" } = pod.spec;
    const sources = podSources(client, { namespace, name: podName, uid, serviceAccountName });
    const spec = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((each) => each.name === name);
    if (spec) checkNonRoot(pod, spec);
    if (spec) checkSubPaths(pod, spec);
    const output = new ContainerLog({ clock });
    const running = await runner({
      pod,
      container: name,
      ip,
      hostIp,
      apiServer,
      restartCount,
      readSecret: async (secret) => textsOf(await sources.secret(secret)),
      sources,
      output,
      atPodEnd: (cleanUp) => void this.#cleanUps.push(cleanUp),
      log: log.child({ pod: keyOf(pod), container: name }),
    });
    this.logs.began(name, output);
    void running.exited.finally(() => output.end()).catch(() => {}); // handled by the run itself
    return running;
  }

  /** Runs the cleanup functions that runners have registered. Call it when all containers have terminated. */
  async end(): Promise<void> {
    this.logs.end();
    for (const cleanUp of this.#cleanUps.splice(0))
      await cleanUp().catch((err: unknown) => this.#options.log.warn({ err }, "cannot clean up after a pod"));
  }
}

const textsOf = (data: ReadonlyMap<string, Buffer> | undefined): ReadonlyMap<string, string> | undefined =>
  data && new Map([...data].map(([key, value]) => [key, value.toString("utf8")]));
