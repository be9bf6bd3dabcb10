import { controllerOf, type DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { type ImageRunner, imageName } from "./image-registry.ts";
import type { Volume } from "./process/volume-files.ts";
import { type SimulatedRun, simulatedRun } from "./simulated-command.ts";

/** Annotations that control the behavior of a pod's simulated containers. */
export const simulation = {
  /** Exit code of the containers. */
  exitCode: "sim.kubewright.dev/exit-code",
  /** Number of seconds after which the containers exit. */
  runSeconds: "sim.kubewright.dev/run-seconds",
  /** If `"false"`, the containers run, but never become ready. */
  ready: "sim.kubewright.dev/ready",
  /** If `"true"`, the pod remains pending after it has been assigned to a node. */
  hold: "sim.kubewright.dev/hold",
  /** If `"true"`, the images of the pod cannot be pulled. */
  pullError: "sim.kubewright.dev/pull-error",
} as const;

/** Thrown if an image cannot be pulled. */
export class ImagePullError extends Error {
  override readonly name = "ImagePullError";
}

const defaultRunMs = 500;
/** Maximum delay that a timer supports. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Returns a runner for images that are not registered. The simulated container is idle as long as the pod exists, with
 * these exceptions:
 *
 * - If the command consists of `sleep` and `exit` (such as `sleep 5` or `sh -c "exit 1"`), the container exits
 *   accordingly.
 * - The image `pause` never exits, as on a real node.
 * - Any other init container succeeds immediately, so that the pod can start.
 * - Any other container in a Job's pod succeeds after half a second, so that the Job can complete, unless its restart policy is `Always`.
 *
 * Annotations override this behavior. As on a real node, the container does not start until the Secrets and ConfigMaps
 * exist to which its variables and the pod's volumes refer.
 */
export function simulatedImage(clock: Clock): ImageRunner {
  return async ({ pod, container, volumes, env }) => {
    const { containers, initContainers = [] } = pod.spec;
    const spec = [...containers, ...initContainers].find(({ name }) => name === container);
    if (pod.metadata.annotations?.[simulation.pullError] === "true" || isMissing(spec?.image ?? ""))
      throw new ImagePullError(`Back-off pulling image "${spec?.image}"`);
    await env();
    if (pod.spec.volumes?.some(refersToObject)) await volumes.read();
    const endsSoon = initContainers.some(({ name, restartPolicy }) => name === container && restartPolicy !== "Always");
    const asked = simulatedRun([...(spec?.command ?? []), ...(spec?.args ?? [])]) ?? pauses(spec?.image);
    const plan = planOf(pod, asked ?? (endsSoon ? endedWell : undefined));
    const { promise: exited, resolve } = Promise.withResolvers<number>();
    const timer = plan && clock.after(Math.min(plan.runMs, longestTimerMs), () => resolve(plan.exitCode));
    return {
      exited,
      stop: async () => {
        timer?.cancel();
        resolve(plan ? killedCode : 0);
      },
    };
  };
}

/** Reports whether a volume's files come from objects. Excludes the volume for the API server that every pod gets. */
const refersToObject = ({ name, secret, configMap, projected }: Volume): boolean =>
  Boolean(secret ?? configMap ?? projected) && !name.startsWith("kube-api-access-");

/** Reports whether an image has one of the names that tests use for images that do not exist. */
const isMissing = (image: string): boolean =>
  /:404$|(^|[./:-])(invalid|non-?existent|doesnt-exist|does-not-exist)([./:-]|$)/.test(image);

/** Returns the behavior of an image that only waits, such as `registry.k8s.io/pause:3.10`, or `undefined` for other images. */
const pauses = (image = ""): SimulatedRun | undefined =>
  imageName(image).split("/").at(-1) === "pause" ? { runMs: Number.POSITIVE_INFINITY, exitCode: 0 } : undefined;

/** Behavior of init containers by default: they succeed immediately, because the other containers wait for them. */
const endedWell: SimulatedRun = { runMs: 0, exitCode: 0 };

/** Exit code of a stopped `sleep`, which ignores SIGTERM and must be killed. Servers exit normally. */
const killedCode = 137;

/** Returns when and with which code a pod's containers exit, or `undefined` if they do not exit on their own. */
function planOf(pod: DeepReadonly<Pod>, asked: SimulatedRun | undefined): SimulatedRun | undefined {
  const { annotations = {} } = pod.metadata;
  const [seconds, code] = [annotations[simulation.runSeconds], annotations[simulation.exitCode]];
  const endsByItself = controllerOf(pod)?.kind === "Job" && pod.spec.restartPolicy !== "Always";
  if (seconds === undefined && code === undefined) {
    if (asked !== undefined) return Number.isFinite(asked.runMs) ? asked : undefined;
    if (!endsByItself) return undefined;
  }
  return {
    runMs: seconds === undefined ? defaultRunMs : Math.max(0, Number(seconds) || 0) * 1_000,
    exitCode: Number.parseInt(code ?? "0", 10) || 0,
  };
}
