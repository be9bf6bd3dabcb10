import { controllerOf, type DeepReadonly, ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";
import type { ImageRegistry, ImageRunner, Probe, ProbeResult, RunningContainer } from "@kubewright/controller-manager";
import { mountTest } from "./mount-test.ts";
import { probeHttp, type RealServers, realServers, startRealServer } from "./real-server.ts";
import type { ProcessWorld } from "./shell/process-world.ts";
import type { FileChange } from "./shell/timed-files.ts";
import { emitOnTime } from "./shell/timed-output.ts";
import { endless, type SimulatedRun, simulatedRun } from "./simulated-command.ts";
import { baseName, type Container, SimulatedFiles, userOf } from "./simulated-files.ts";
import { busyboxPrograms } from "./simulated-programs.ts";
import { serverResult } from "./simulated-server.ts";

/** Maximum delay that a timer supports. */
const longestTimerMs = 2 ** 31 - 1;
/** Shells and `sleep` ignore SIGTERM and are killed; servers exit normally. */
const killedCode = 137;

export interface E2eImagesOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Real servers for tests that talk to them. Default: all servers are simulated. */
  readonly servers?: RealServers;
}

/**
 * Returns runners for the images whose commands, files, output and servers Kubernetes' tests observe. A script of the shell and its simple
 * commands is evaluated, and its effects appear at the right times. Only {@link realServers} run as processes.
 */
export function e2eImages({ clock = systemClock, servers }: E2eImagesOptions = {}): ImageRegistry {
  const runner = simulatedImage(clock, new SimulatedFiles(), servers);
  const images = ["agnhost", "busybox", "nonewprivs"].map((name) => `registry.k8s.io/e2e-test-images/${name}`);
  return Object.fromEntries([...images, "registry.k8s.io/pause"].map((image) => [image, runner]));
}

function simulatedImage(clock: Clock, files: SimulatedFiles, servers: RealServers | undefined): ImageRunner {
  return async (context) => {
    const { pod, container, output, atPodEnd } = context;
    const spec = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === container);
    if (!spec) throw new Error(`pod ${pod.metadata.name} has no container ${container}`);
    const bornAt = clock.now();
    const env = await context.env();
    const own = await files.of(context, spec, env);
    const world = { env, files: own, program: busyboxPrograms(pod, spec, own), random: Math.random };
    atPodEnd(async () => files.forget(pod.metadata.uid ?? ""));
    const write = (text: string): void => output.write(text);
    const words = wordsOf(spec, context.expand([...(spec.command ?? []), ...(spec.args ?? [])], env));
    if (servers && isAgnhost(words[0]) && realServers.has(words[1] ?? ""))
      return startRealServer(servers, context, spec, words.slice(1));
    const running =
      isAgnhost(words[0]) && words[1] === "mounttest"
        ? runProgram((signal) => mountTest(words.slice(2), { files: own, clock, write, signal }))
        : runSimulated(clock, runOf(pod, spec, words, { ...world, isVisible: true }), write);
    const ended = new AbortController();
    void running.exited.then(() => ended.abort());
    return {
      ...running,
      terminationMessage: async () => own.read(spec.terminationMessagePath ?? ""),
      probe: async (probe, signal) => {
        if (probe.exec) return commandResult(probe, world);
        if (servers?.networks.has(pod)) return probeHttp(context.ip, spec, probe, signal);
        return serverResult(spec, probe, clock.now() - bornAt);
      },
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

/** Entrypoints of the images. */
const entrypoints: Readonly<Record<string, string>> = { agnhost: "/agnhost", nonewprivs: "/nnp", pause: "/pause" };
const isAgnhost = (program: string = ""): boolean => /^\/?agnhost(-2)?$/.test(program);

/** Returns the words of the program that a container runs. */
function wordsOf({ image = "", command = [] }: Container, words: readonly string[]): readonly string[] {
  const name = baseName(image);
  const entrypoint = ownMember(entrypoints, name);
  if (command.length > 0 || entrypoint === undefined) return words;
  return [entrypoint, ...(words.length === 0 && name === "agnhost" ? ["pause"] : words)];
}

/** Runs a program that reads the current time and files as it goes along, and ignores SIGTERM. */
function runProgram(program: (signal: AbortSignal) => Promise<number>): RunningContainer {
  const stopping = new AbortController();
  const exited = program(stopping.signal).then((code) => (stopping.signal.aborted ? killedCode : code));
  return {
    exited,
    stop: async () => {
      stopping.abort();
      await exited;
    },
  };
}

/** Makes the effects of a run that was evaluated in advance appear at the right times. */
function runSimulated(clock: Clock, run: SimulatedRun, write: (text: string) => void): RunningContainer {
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  const stopOutput = emitOnTime(clock, run.output ?? [], write);
  const endsByItself = Number.isFinite(run.runMs);
  const timer = endsByItself
    ? clock.after(Math.min(run.runMs, longestTimerMs), () => {
        stopOutput();
        resolve(run.exitCode);
      })
    : undefined;
  const stopChanges = applyInTime(clock, run.changes ?? []);
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

/** Returns a container's behaviour. Unknown commands run a server, except in init containers and Jobs, which wait for them to finish. */
function runOf(
  pod: DeepReadonly<Pod>,
  { name, securityContext }: Container,
  words: readonly string[],
  world: ProcessWorld,
): SimulatedRun {
  const [program = "", subcommand = ""] = words;
  if (program === "/pause") return endless;
  if (program === "/nnp") {
    const isRoot = securityContext?.allowPrivilegeEscalation !== false; // the program is owned by root and has its setuid bit set
    return printed(`Effective uid: ${isRoot ? 0 : userOf(pod, { name, securityContext }).uid}\n`);
  }
  if (isAgnhost(program)) return agnhostRun(subcommand, words, world);
  const run = simulatedRun(words, world);
  if (run) return run;
  const isInit = pod.spec.initContainers?.some((each) => each.name === name && each.restartPolicy !== "Always");
  if (isInit) return printed("");
  const isInJob = controllerOf(pod)?.kind === "Job" && pod.spec.restartPolicy !== "Always";
  return isInJob ? { runMs: 500, exitCode: 0 } : endless;
}

const printed = (text: string): SimulatedRun => ({ runMs: 0, exitCode: 0, output: [{ atMs: 0, text }] });

/** Returns the behaviour of a subcommand of the image `agnhost`. Most of them run a server. */
function agnhostRun(subcommand: string, words: readonly string[], { files }: ProcessWorld): SimulatedRun {
  switch (subcommand) {
    case "entrypoint-tester":
      return printed(`[${words.join(" ")}]\n`);
    case "etc-hosts":
      return printed(files.read("/etc/hosts"));
    case "pause":
      return { ...endless, output: [{ atMs: 0, text: "Paused\n" }] };
    case "connect":
    case "fake-gitserver":
    case "mounttest-user":
    case "nslookup":
      return printed("");
    default:
      return endless;
  }
}
