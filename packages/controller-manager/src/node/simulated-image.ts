import { controllerOf, type DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { ImageRunner } from "./image-registry.ts";
import { type SimulatedRun, simulatedRun } from "./simulated-command.ts";

/** Pod annotations that control its simulated containers. */
export const simulation = {
  /** The containers' exit code. */
  exitCode: "sim.kubewright.dev/exit-code",
  /** Number of seconds after which the containers exit. */
  runSeconds: "sim.kubewright.dev/run-seconds",
  /** `"false"`: the containers run but never become ready. */
  ready: "sim.kubewright.dev/ready",
  /** `"true"`: the pod remains pending after it has been assigned to a node. */
  hold: "sim.kubewright.dev/hold",
  /** `"true"`: the images cannot be pulled. */
  pullError: "sim.kubewright.dev/pull-error",
} as const;

/** Error for an image that cannot be pulled. */
export class ImagePullError extends Error {
  override readonly name = "ImagePullError";
}

const defaultRunMs = 500;
/** Maximum delay that a timer supports. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs an unregistered image as a container that stays idle for as long as the pod exists, unless its command is a `sleep` or `exit` (such
 * as `sleep 5` or `sh -c "exit 1"`). Otherwise, an init container succeeds immediately, and a container in a Job's pod that is not always
 * restarted succeeds after half a second, so that pod and Job progress. Annotations override this behaviour.
 */
export function simulatedImage(clock: Clock): ImageRunner {
  return async ({ pod, container }) => {
    const { containers, initContainers = [] } = pod.spec;
    const spec = [...containers, ...initContainers].find(({ name }) => name === container);
    if (pod.metadata.annotations?.[simulation.pullError] === "true" || isMissing(spec?.image ?? ""))
      throw new ImagePullError(`Back-off pulling image "${spec?.image}"`);
    const endsSoon = initContainers.some(({ name, restartPolicy }) => name === container && restartPolicy !== "Always");
    const asked = simulatedRun([...(spec?.command ?? []), ...(spec?.args ?? [])]);
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

/** Names that tests use for nonexistent images. */
const isMissing = (image: string): boolean =>
  /:404$|(^|[./:-])(invalid|non-?existent|doesnt-exist|does-not-exist)([./:-]|$)/.test(image);

/** Default for init containers, because the other containers wait for them to finish. */
const endedWell: SimulatedRun = { runMs: 0, exitCode: 0 };

/** `sleep` ignores SIGTERM and is killed; servers exit normally. */
const killedCode = 137;

/** Returns when and how containers exit; `undefined` if they do not exit on their own. */
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
