import { controllerOf, type DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";
import type { ImageRegistry, ImageRunner, Probe, ProbeResult } from "@kubewright/controller-manager";
import type { ProcessWorld } from "./shell/process-world.ts";
import type { FileChange } from "./shell/timed-files.ts";
import { emitOnTime } from "./shell/timed-output.ts";
import { endless, type SimulatedRun, simulatedRun } from "./simulated-command.ts";
import { baseName, type Container, SimulatedFiles } from "./simulated-files.ts";
import { serverResult } from "./simulated-server.ts";

/** Maximum delay that a timer supports. */
const longestTimerMs = 2 ** 31 - 1;
/** Shells and `sleep` ignore SIGTERM and are killed; servers exit normally. */
const killedCode = 137;

/**
 * Returns runners for the images whose commands, files, output and servers Kubernetes' tests observe. They start no processes: a script of
 * the shell and its simple commands is evaluated, and its effects appear at the right times.
 */
export function e2eImages(clock: Clock = systemClock): ImageRegistry {
  const runner = simulatedImage(clock, new SimulatedFiles());
  const images = ["registry.k8s.io/e2e-test-images/agnhost", "registry.k8s.io/e2e-test-images/busybox"];
  return Object.fromEntries([...images, "registry.k8s.io/pause"].map((image) => [image, runner]));
}

function simulatedImage(clock: Clock, files: SimulatedFiles): ImageRunner {
  return async ({ pod, container, restartCount, output, atPodEnd }) => {
    const spec = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === container);
    if (!spec) throw new Error(`pod ${pod.metadata.name} has no container ${container}`);
    const bornAt = clock.now();
    const world = { env: envOf(pod, spec), files: files.of(pod, spec, restartCount), random: Math.random };
    atPodEnd(async () => files.forget(pod.metadata.uid ?? ""));
    const run = runOf(pod, spec, { ...world, isVisible: true });
    const { promise: exited, resolve } = Promise.withResolvers<number>();
    const write = (text: string): void => output.write(text);
    const stopOutput = emitOnTime(clock, run.output ?? [], write);
    const endsByItself = Number.isFinite(run.runMs);
    const timer = endsByItself
      ? clock.after(Math.min(run.runMs, longestTimerMs), () => {
          stopOutput();
          resolve(run.exitCode);
        })
      : undefined;
    const stopChanges = applyInTime(clock, run.changes ?? []);
    const ended = new AbortController();
    void exited.then(() => ended.abort());
    return {
      exited,
      stop: async (graceMs = 0) => {
        timer?.cancel();
        stopChanges();
        const last = run.onTerm?.();
        stopOutput();
        if (!last) return resolve(endsByItself || run.onTerm ? killedCode : 0);
        const stopLastChanges = applyInTime(clock, last.changes ?? []);
        const stopLastWords = emitOnTime(clock, last.output ?? [], write);
        await clock.sleep(Math.min(last.runMs, graceMs));
        stopLastChanges();
        stopLastWords();
        resolve(last.runMs > graceMs ? killedCode : last.exitCode);
      },
      probe: async (probe) =>
        probe.exec ? commandResult(probe, world) : serverResult(spec, probe, clock.now() - bornAt),
      exec: async (command, { stdout }, signal) => {
        const asked = simulatedRun(command, { ...world, isVisible: true });
        if (!asked) throw new Error(`failed to exec in container: ${JSON.stringify(command)} is not simulated`);
        const stopWords = emitOnTime(clock, asked.output ?? [], (text) => stdout?.write(text));
        const stopFiles = applyInTime(clock, asked.changes ?? []);
        await clock.sleep(asked.runMs, AbortSignal.any([signal, ended.signal]));
        stopWords();
        stopFiles();
        return signal.aborted || ended.signal.aborted ? killedCode : asked.exitCode;
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

function commandResult({ exec, timeoutSeconds = 1 }: Probe, world: ProcessWorld): ProbeResult {
  const command = exec?.command ?? [];
  const run = simulatedRun(command, world);
  if (!run) return { isGood: true };
  if (run.runMs > timeoutSeconds * 1_000)
    return { isGood: false, message: `command timed out: "${command.join(" ")}" timed out after ${timeoutSeconds}s` };
  return { isGood: run.exitCode === 0, ...(run.exitCode === 0 ? {} : { message: "" }) };
}

/** Subcommands of the image `agnhost` that exit. All others run a server. */
const agnhostThatEnds = new Set([
  "mounttest",
  "mounttest-user",
  "nslookup",
  "connect",
  "entrypoint-tester",
  "fake-gitserver",
]);

/** Returns a container's behaviour. Unknown commands run a server, except in init containers and Jobs, which wait for them to finish. */
function runOf(pod: DeepReadonly<Pod>, container: Container, world: ProcessWorld): SimulatedRun {
  const { name, command = [], args = [], image = "" } = container;
  if (command.length === 0 && baseName(image) === "pause") return endless;
  if (command.length === 0 && baseName(image) === "agnhost")
    return agnhostThatEnds.has(args[0] ?? "") ? { runMs: 0, exitCode: 0 } : endless;
  const run = simulatedRun([...command, ...args], world);
  if (run) return run;
  const isInit = pod.spec.initContainers?.some((each) => each.name === name && each.restartPolicy !== "Always");
  if (isInit) return { runMs: 0, exitCode: 0 };
  const isInJob = controllerOf(pod)?.kind === "Job" && pod.spec.restartPolicy !== "Always";
  return isInJob ? { runMs: 500, exitCode: 0 } : endless;
}

/** Returns those environment variables of a container whose values are in the pod itself. */
function envOf({ metadata, spec }: DeepReadonly<Pod>, { env = [] }: Container): ReadonlyMap<string, string> {
  const { name, namespace, uid, labels, annotations } = metadata;
  const keyed = (field: string, values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).map(([key, value]) => [`metadata.${field}['${key}']`, value] as const);
  const fields = new Map<string, string | undefined>([
    ["metadata.name", name],
    ["metadata.namespace", namespace],
    ["metadata.uid", uid],
    ["spec.nodeName", spec.nodeName],
    ...keyed("labels", labels),
    ...keyed("annotations", annotations),
  ]);
  return new Map(
    env.map(({ name: variable, value, valueFrom }) => [
      variable,
      value ?? fields.get(valueFrom?.fieldRef?.fieldPath ?? "") ?? "",
    ]),
  );
}
