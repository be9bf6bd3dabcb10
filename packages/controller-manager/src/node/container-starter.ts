import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { checkNonRoot, checkSubPaths } from "./container-checks.ts";
import { type ImageRegistry, type RunningContainer, registeredRunner } from "./image-registry.ts";
import { ContainerLog } from "./log/container-log.ts";
import { PodLogs } from "./log/pod-logs.ts";
import { type PodSources, podSources } from "./pod-sources.ts";
import { expandAll } from "./process/expansion.ts";
import { processEnv } from "./process/process-env.ts";
import { type PodVolumes, podVolumes } from "./process/volume-files.ts";
import { simulatedImage } from "./simulated-image.ts";

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

export interface ContainerStarterOptions {
  /**
   * Client that reads from the API server rather than from a cache, because a container must get the current Secrets each time it starts.
   */
  readonly client: Reader & Writer;
  readonly images: ImageRegistry;
  /** Returns the pod's last known state. */
  readonly pod: () => DeepReadonly<Pod>;
  /** The pod's IP address. */
  readonly ip: string;
  readonly hostIp: string;
  /** URL of the API server, such as `https://127.0.0.1:6443`. */
  readonly apiServer: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Maximum length of a termination message, in bytes. */
const longestMessage = 4_096;

export const imagesOf = ({ spec }: DeepReadonly<Pod>): ReadonlyMap<string, string> =>
  new Map([...spec.containers, ...(spec.initContainers ?? [])].map(({ name, image = "" }) => [name, image]));

/**
 * Starts a pod's containers, using the runners for their images. Each container gets its own log, and access to the
 * pod's data.
 */
export class ContainerStarter {
  readonly #options: ContainerStarterOptions;
  readonly #cleanUps: (() => Promise<void>)[] = [];
  readonly #sources: PodSources;
  readonly #volumes: PodVolumes;
  readonly logs = new PodLogs();

  constructor(options: ContainerStarterOptions) {
    this.#options = options;
    const { client, pod } = options;
    const { metadata, spec } = pod();
    const { namespace = "", name, uid = "" } = metadata;
    const { serviceAccountName = "default" } = spec;
    this.#sources = podSources(client, { namespace, name, uid, serviceAccountName });
    this.#volumes = podVolumes({ ...options, sources: this.#sources });
  }

  /**
   * Starts a container.
   *
   * @throws {ContainerConfigError} if its user or mounts are not allowed
   * @throws the error of the image's runner, if it cannot start the container
   */
  async start(pod: DeepReadonly<Pod>, name: string, restartCount: number): Promise<RunningContainer> {
    const { images, clock, log, ip, hostIp, apiServer } = this.#options;
    const runner = registeredRunner(images, imagesOf(pod).get(name) ?? "") ?? simulatedImage(clock);
    const sources = this.#sources;
    const spec = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((each) => each.name === name);
    if (!spec) throw new Error(`pod ${keyOf(pod)} has no container ${name}`);
    checkNonRoot(pod, spec);
    checkSubPaths(pod, spec);
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
      volumes: this.#volumes,
      env: () => processEnv({ pod, container: spec, ip, hostIp, sources }),
      expand: expandAll,
      output,
      atPodEnd: (cleanUp) => void this.#cleanUps.push(cleanUp),
      log: log.child({ pod: keyOf(pod), container: name }),
    });
    this.logs.began(name, output);
    void running.exited.finally(() => output.end()).catch(() => {}); // handled by the run itself
    return running;
  }

  /**
   * Returns the message of a terminated container: the content of its message file. If the file is empty and the container has failed,
   * this is the end of its log, provided that `terminationMessagePolicy` specifies this.
   *
   * @see kubernetes pkg/kubelet/kuberuntime getTerminationMessage
   */
  async endMessage(container: Container, running: RunningContainer, exitCode: number): Promise<string> {
    const written = await running.terminationMessage?.().catch((err: unknown) => {
      this.#options.log.warn({ err, container: container.name }, "cannot read a container's termination message");
      return "";
    });
    if (written) return Buffer.from(written).subarray(0, longestMessage).toString();
    if (container.terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return "";
    return this.logs.tail(container.name, 80, 2_048);
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
