import { controllerOf, type DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock, Timer } from "@kubewright/clock";
import { containerEnv } from "./container-env.ts";
import { type ImageRunner, imageName } from "./image-registry.ts";
import { expand } from "./process/expansion.ts";
import { sayInTime } from "./shell/said-in-time.ts";
import type { FileChange } from "./shell/timed-files.ts";
import { endless, type SimulatedRun, simulatedRun } from "./simulated-command.ts";
import { SimulatedFiles } from "./simulated-files.ts";

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

/** Error for a container configuration that cannot be applied. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
}

/**
 * @throws {ContainerConfigError} if the container would run as root and the pod forbids it. @see kubernetes pkg/kubelet/kuberuntime
 *   verifyRunAsNonRoot
 */
export function checkNonRoot(
  { spec }: DeepReadonly<Pod>,
  { securityContext }: DeepReadonly<Pod>["spec"]["containers"][number],
): void {
  const user = securityContext?.runAsUser ?? spec.securityContext?.runAsUser;
  const isRootRefused = securityContext?.runAsNonRoot ?? spec.securityContext?.runAsNonRoot;
  if (isRootRefused && user === 0) throw new ContainerConfigError("container's runAsUser breaks non-root policy");
}

/**
 * Checks the paths of a container's mounts within their volumes. Ignores environment variables whose values are not in the pod itself.
 *
 * @throws {ContainerConfigError} if a variable does not exist or a path leads out of the volume
 *
 * @see kubernetes pkg/kubelet/kubelet_pods.go makeMounts
 */
export function checkSubPaths(
  pod: DeepReadonly<Pod>,
  container: DeepReadonly<Pod>["spec"]["containers"][number],
): void {
  const env = containerEnv(pod, container);
  const declared = new Set(container.env?.map(({ name }) => name));
  for (const { subPathExpr } of container.volumeMounts ?? []) {
    if (!subPathExpr) continue;
    const missing = new Set<string>();
    const path = expand(subPathExpr, env, (name) => missing.add(name));
    const [unknown] = container.envFrom ? [] : [...missing].filter((name) => !declared.has(name));
    if (unknown !== undefined) throw new ContainerConfigError(`missing value for "${unknown}"`);
    if (missing.size > 0) continue;
    if (path.startsWith("/")) throw new ContainerConfigError(`error SubPath \`${path}\` must not be an absolute path`);
    if (path.split("/").includes(".."))
      throw new ContainerConfigError(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  }
}

const defaultRunMs = 500;
/** Maximum delay that a timer supports. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs an unregistered image, which stays idle for as long as the pod exists unless its command determines when and how it exits (such as
 * `sleep 5` or `sh -c "exit 1"`; the image `pause` never exits). If the command does not determine this, a container in a Job's pod that
 * is not always restarted succeeds after half a second, so that the Job progresses. Annotations override this behaviour.
 */
export function simulatedImage(clock: Clock, files: SimulatedFiles = new SimulatedFiles()): ImageRunner {
  return async ({ pod, container, restartCount, output }) => {
    const spec = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === container);
    if (pod.metadata.annotations?.[simulation.pullError] === "true" || isMissing(spec?.image ?? ""))
      throw new ImagePullError(`Back-off pulling image "${spec?.image}"`);
    if (spec) checkNonRoot(pod, spec);
    if (spec) checkSubPaths(pod, spec);
    const { promise: exited, resolve } = Promise.withResolvers<number>();
    const write = (text: string): void => output.write(text);
    const endsSoon = pod.spec.initContainers?.some(
      (each) => each.name === container && each.restartPolicy !== "Always",
    );
    const asked = (spec && askedFor(pod, spec, files, restartCount)) ?? (endsSoon ? endedWell : undefined);
    const plan = planOf(pod, asked);
    const stopSaying = sayInTime(clock, asked?.output ?? [], write);
    const end = (code: number): void => {
      stopSaying();
      resolve(code);
    };
    const timer = plan && clock.after(Math.min(plan.runMs, longestTimerMs), () => end(plan.exitCode));
    const stopChanges = applyInTime(clock, asked?.changes ?? []);
    return {
      exited,
      stop: async (graceMs = 0) => {
        timer?.cancel();
        stopChanges();
        const last = asked?.onTerm?.();
        stopSaying();
        if (!last) return resolve(plan || asked?.onTerm ? killedCode : 0);
        const stopLastChanges = applyInTime(clock, last.changes ?? []);
        const stopLastWords = sayInTime(clock, last.output ?? [], write);
        await clock.sleep(Math.min(last.runMs, graceMs));
        stopLastChanges();
        stopLastWords();
        resolve(last.runMs > graceMs ? killedCode : last.exitCode);
      },
    };
  };
}

/** Changes files at the right times. @returns a function that stops the changes */
function applyInTime(clock: Clock, changes: readonly FileChange[]): () => void {
  const start = clock.now();
  let timer: Timer | undefined;
  const wait = (next: number): void => {
    const change = changes[next];
    if (!change) return;
    timer = clock.after(Math.max(0, start + change.atMs - clock.now()), () => {
      change.apply();
      wait(next + 1);
    });
  };
  wait(0);
  return () => timer?.cancel();
}

/** Names that tests use for nonexistent images. */
const isMissing = (image: string): boolean =>
  /:404$|(^|[./:-])(invalid|non-?existent|doesnt-exist|does-not-exist)([./:-]|$)/.test(image);

/** Default for init containers, because the other containers wait for them to finish. */
const endedWell: SimulatedRun = { runMs: 0, exitCode: 0 };

/** Shells and `sleep` ignore SIGTERM and are killed; servers exit normally. */
const killedCode = 137;

/** Subcommands of the image `agnhost` that exit. All others run a server. */
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
): SimulatedRun | undefined {
  const { command = [], args = [] } = container;
  const image = imageName(container.image ?? "").replace(/^.*\//, "");
  if (command.length === 0 && image === "pause") return endless;
  if (command.length === 0 && image === "agnhost")
    return agnhostThatEnds.has(args[0] ?? "") ? { runMs: 0, exitCode: 0 } : endless;
  const world = {
    env: containerEnv(pod, container),
    files: files.of(pod, container, run),
    isHeard: true,
    random: Math.random,
  };
  return simulatedRun([...command, ...args], world);
}

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
