import { controllerOf, type DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { containerEnv } from "./container-env.ts";
import { type ImageRunner, imageName } from "./image-registry.ts";
import { endless, type SimulatedRun, simulatedRun } from "./simulated-command.ts";
import { SimulatedFiles } from "./simulated-files.ts";

/** Annotations by which a pod says how its simulated containers are to behave. */
export const simulation = {
  /** The containers end with this code. */
  exitCode: "sim.kubewright.dev/exit-code",
  /** The containers end after so many seconds. */
  runSeconds: "sim.kubewright.dev/run-seconds",
  /** `"false"`: the containers run and never become ready. */
  ready: "sim.kubewright.dev/ready",
  /** `"true"`: the pod stays Pending once it has a node. */
  hold: "sim.kubewright.dev/hold",
  /** `"true"`: the images cannot be pulled. */
  pullError: "sim.kubewright.dev/pull-error",
} as const;

/** An image cannot be had. */
export class ImagePullError extends Error {
  override readonly name = "ImagePullError";
}

const defaultRunMs = 500;
/** Timers do not go further. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Stands for an image that nobody registered: it does nothing, for as long as the pod lives, unless its command says when and how
 * it ends (`sleep 5`, `sh -c "exit 1"`; the image `pause` never does). A pod of a Job that is not restarted for ever otherwise ends well after half a second, so
 * that the Job gets somewhere; annotations say otherwise.
 */
export function simulatedImage(clock: Clock, files: SimulatedFiles = new SimulatedFiles()): ImageRunner {
  return async ({ pod, container, restartCount }) => {
    const spec = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === container);
    if (pod.metadata.annotations?.[simulation.pullError] === "true" || isMissing(spec?.image ?? ""))
      throw new ImagePullError(`Back-off pulling image "${spec?.image}"`);
    const { promise: exited, resolve } = Promise.withResolvers<number>();
    const endsSoon = pod.spec.initContainers?.some(
      (each) => each.name === container && each.restartPolicy !== "Always",
    );
    const asked = (spec && askedFor(pod, spec, files, restartCount)) ?? (endsSoon ? endedWell : undefined);
    const plan = planOf(pod, asked);
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

/** Names by which tests mean an image that there is not. */
const isMissing = (image: string): boolean => /:404$|(^|[./:-])(invalid|non-?existent)([./:-]|$)/.test(image);

/** What an init container does that nothing is known of: the others wait for its end. */
const endedWell: SimulatedRun = { runMs: 0, exitCode: 0 };

/** A shell or `sleep` leaves the signal to end unheeded and is killed; servers end well. */
const killedCode = 137;

/** Subcommands of the image `agnhost` that end; all others serve. */
const agnhostThatEnds = new Set([
  "mounttest",
  "mounttest-user",
  "nslookup",
  "connect",
  "entrypoint-tester",
  "fake-gitserver",
]);

function askedFor(
  pod: DeepReadonly<Pod>,
  container: DeepReadonly<Pod>["spec"]["containers"][number],
  files: SimulatedFiles,
  run: number,
): SimulatedRun | typeof endless | undefined {
  const { command = [], args = [] } = container;
  const image = imageName(container.image ?? "").replace(/^.*\//, "");
  if (command.length === 0 && image === "pause") return endless;
  if (command.length === 0 && image === "agnhost")
    return agnhostThatEnds.has(args[0] ?? "") ? { runMs: 0, exitCode: 0 } : endless;
  const world = { env: containerEnv(pod, container), files: files.of(pod, container, run), random: Math.random };
  return simulatedRun([...command, ...args], world);
}

/** After how long containers end, and how; `undefined` where they do not end by themselves. */
function planOf(pod: DeepReadonly<Pod>, asked: SimulatedRun | typeof endless | undefined): SimulatedRun | undefined {
  const { annotations = {} } = pod.metadata;
  const [seconds, code] = [annotations[simulation.runSeconds], annotations[simulation.exitCode]];
  const endsByItself = controllerOf(pod)?.kind === "Job" && pod.spec.restartPolicy !== "Always";
  if (seconds === undefined && code === undefined) {
    if (asked !== undefined) return asked === endless ? undefined : asked;
    if (!endsByItself) return undefined;
  }
  return {
    runMs: seconds === undefined ? defaultRunMs : Math.max(0, Number(seconds) || 0) * 1_000,
    exitCode: Number.parseInt(code ?? "0", 10) || 0,
  };
}
