import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, delimiter, dirname, join, sep } from "node:path";
import process from "node:process";
import { type Clock, systemClock } from "@kubewright/clock";
import { ContainerConfigError } from "../container-checks.ts";
import type { ContainerContext, ImageRunner, RunningContainer } from "../image-registry.ts";
import { startChild } from "./child-process.ts";
import { AttachedClients, commandResult, runCommand } from "./container-sessions.ts";
import type { Container } from "./downward-values.ts";
import { expandAll } from "./expansion.ts";
import { mountedPaths } from "./mounted-paths.ts";
import { networkProbe } from "./network-probe.ts";
import { connectToOwn, listenAt } from "./own-address.ts";
import { PodFolder } from "./pod-folder.ts";
import { closedTo, containerUser, endProcessesOf, ownUser, type ProcessUser, podGroup } from "./process-user.ts";

/** The stock Node.js image, for programs without their own image. */
export const stockNodeImage = "docker.io/library/node:24.21.0-slim";

/** Options for {@link processImage}. */
export interface ProcessImageOptions {
  /** Path of the Node.js executable that runs the programs. Default: the executable of this process. */
  readonly execPath?: string | undefined;
  /** Clock for grace periods and volumes. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
const defaultGraceSeconds = 30;
/** Minimum grace period. @see kubernetes pkg/kubelet/kuberuntime minimumGracePeriodInSeconds */
const leastGraceMs = 2_000;

/**
 * Runs a Node.js image as child processes on this machine, with the pod's command, arguments, environment variables and volumes.
 *
 * The processes are not isolated, so anyone who can create pods in the control plane can run code on this machine. Therefore,
 * `startControlPlane` accepts such images only if the server listens on loopback. Container features are mapped to processes as follows:
 *
 * - If this process runs as root, a container runs as its `runAsUser` (default 65532); otherwise, it runs as the user of this process. A
 *   container whose `runAsUser`, `runAsGroup` or `runAsNonRoot` cannot be applied does not start. This is not a sandbox: the processes have
 *   the user's access to this machine's files and network.
 * - Volumes (secret, configMap, projected, downwardAPI, emptyDir) are stored in the pod's folder. In the command, arguments, environment
 *   variables and working directory, each `mountPath` is replaced with the volume's path in that folder.
 * - A pod with a service account token gets a `KUBECONFIG` for the API server, unless the pod sets this variable
 *   itself.
 * - If a program listens on all addresses, it is made to listen only on the pod's address, so that the ports of different pods do not
 *   conflict.
 * - This process's environment is not inherited.
 * - Each of a process's output streams is limited to 4 MiB per second; a process that writes more has to wait.
 * - `kubectl exec` runs commands directly on this machine, with the container's user, variables and working directory.
 *   With `-t`, lines can be edited as in a terminal, but the program itself has no terminal.
 * - Limits and capabilities are not enforced.
 */
export function processImage({
  execPath = process.execPath,
  clock = systemClock,
}: ProcessImageOptions = {}): ImageRunner {
  const folders = new Map<string, OfPod>();
  const ofPodIn = ({ pod, volumes, atPodEnd, log }: ContainerContext): OfPod => {
    const { uid = "" } = pod.metadata;
    const known = folders.get(uid);
    if (known) return known;
    const onError = (err: unknown): void => log.warn({ err }, "cannot update volumes");
    const group = podGroup(pod, ownUser());
    const folder = new PodFolder({ pod, volumes, clock, group, onError });
    const ofPod = { folder, group };
    folders.set(uid, ofPod);
    atPodEnd(async () => {
      folders.delete(uid);
      if (group !== undefined) await endProcessesOf(group, clock); // no remaining process can interfere
      await folder.remove();
    });
    return ofPod;
  };
  const run = async (context: ContainerContext): Promise<RunningContainer> => {
    const { pod, ip, output, log } = context;
    const container = containerIn(context);
    const { folder, group } = ofPodIn(context);
    const user = containerUser(pod, container, ownUser(), group);
    const path = await folder.prepare();
    if (user) await checkOpen(user, [execPath, path]);
    const program = await programOf(context, container, folder, path, execPath);
    const place = { cwd: program.cwd, env: program.env, user, clock };
    const clients = new AttachedClients(output);
    const { stdin = false, stdinOnce = false, tty = false } = container;
    const args = ["--import", listenAt(ip), ...program.args];
    const child = await startChild({ ...place, args, execPath, output: clients, stdin });
    const ended = new AbortController();
    void child.exited.then(() => ended.abort());
    log.debug({ pid: child.pid }, "started a container as a process");
    const graceMs = (pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1_000;
    return {
      exited: child.exited,
      stop: (ms = graceMs) => child.stop(Math.max(ms, leastGraceMs)),
      probe: (probe, signal) =>
        probe.exec
          ? commandResult(probe, program.onThisMachine, place, AbortSignal.any([signal, ended.signal]))
          : networkProbe(ip, container, probe, signal),
      exec: (command, streams, signal) =>
        runCommand(command.map(program.onThisMachine), place, streams, AbortSignal.any([signal, ended.signal])),
      attach: (streams, signal) => clients.attach(child, streams, { tty, stdinOnce }, signal),
      connect: (port, signal) => connectToOwn(child.pid, ip, port, signal),
    };
  };
  return Object.assign(run, { startsProcesses: true });
}

/** State that all containers of a pod share. */
interface OfPod {
  readonly folder: PodFolder;
  readonly group: number | undefined;
}

/** Checks that a user can access all of the paths. @throws {ContainerConfigError} if the user cannot access one of them */
async function checkOpen(user: ProcessUser, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const closed = await closedTo(user, await realpath(path));
    if (closed === undefined) continue;
    throw new ContainerConfigError(
      `user ${user.uid} cannot use ${path}: ${closed} is not accessible; ${path === paths[0] ? "install Node.js where every user can run it, or" : "set TMPDIR of the control plane to a folder that every user can enter, or"} run the control plane as a separate user`,
    );
  }
}

function containerIn({ pod: { spec }, container }: ContainerContext): Container {
  const found = [...spec.containers, ...(spec.initContainers ?? [])].find(({ name }) => name === container);
  if (!found) throw new Error(`the pod has no container ${container}`);
  return found;
}

async function programOf(
  context: ContainerContext,
  container: Container,
  podFolder: PodFolder,
  folder: string,
  execPath: string,
) {
  const onThisMachine = mountedPaths(folder, container);
  const work = join(folder, "work", container.name);
  const base = {
    ...machineEnv(context, work, join(folder, "tmp"), execPath),
    ...(await clusterEnv(context, container, podFolder, folder)),
  };
  const asked = await context.env();
  const all = new Map([...Object.entries(base), ...asked]);
  const [, ...args] = expandAll(commandOf(container), all).map(onThisMachine);
  const cwd = container.workingDir === undefined ? work : onThisMachine(container.workingDir);
  const isMounted = cwd !== container.workingDir;
  await podFolder.makeFolder(work, folder, true);
  return {
    args,
    onThisMachine,
    cwd: isMounted ? await folderInside(folder, cwd, container) : work,
    env: { ...base, ...Object.fromEntries([...asked].map(([name, value]) => [name, onThisMachine(value)])) },
  };
}

/**
 * Returns the path of a container's working directory, with links resolved.
 *
 * @throws {ContainerConfigError} if the directory is not in the pod's folder
 */
async function folderInside(folder: string, path: string, { workingDir }: Container): Promise<string> {
  const found = await realpath(path).catch(() => undefined);
  if (found?.startsWith(folder + sep)) return found;
  const why = found === undefined ? "does not exist" : "points outside its volume";
  throw new ContainerConfigError(`workingDir "${workingDir}" ${why}`);
}

/**
 * Returns the command line that the image's entrypoint would run: if a container has only arguments that do not start with `node`, they are
 * passed to `node`.
 *
 * @throws {ContainerConfigError} if the command is another program
 */
function commandOf({ command = [], args = [] }: Container): readonly string[] {
  const [program = "", ...rest] = command;
  if (program !== "") {
    if (basename(program) === "node") return [...command, ...args];
    throw new ContainerConfigError(
      `exec: "${program}": executable file not found: an image that runs as a process on this machine contains only "node"`,
    );
  }
  return args[0] === "node" ? args : ["node", ...rest, ...args];
}

/** Returns the environment variables that every container gets. */
function machineEnv(
  { pod }: ContainerContext,
  home: string,
  temporary: string,
  execPath: string,
): Record<string, string> {
  const { SystemRoot } = process.env; // required to start programs on Windows
  return {
    PATH: [dirname(execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    HOSTNAME: pod.spec.hostname ?? pod.metadata.name,
    TMPDIR: temporary,
    ...(SystemRoot === undefined ? {} : { SystemRoot, TEMP: temporary, TMP: temporary, USERPROFILE: home }),
  };
}

/** Returns environment variables with the API server's address and a kubeconfig for the pod's service account. */
async function clusterEnv(
  { pod, apiServer }: ContainerContext,
  container: Container,
  podFolder: PodFolder,
  folder: string,
) {
  const { hostname, port, protocol } = new URL(apiServer);
  const portText = port || (protocol === "https:" ? "443" : "80");
  const env = {
    KUBERNETES_SERVICE_HOST: hostname.replace(/^\[|\]$/g, ""),
    KUBERNETES_SERVICE_PORT: portText,
    KUBERNETES_SERVICE_PORT_HTTPS: portText,
  };
  const mounted = mountedPaths(folder, container)(serviceAccountFolder);
  if (mounted === serviceAccountFolder || !existsSync(join(mounted, "token"))) return env;
  const path = join(folder, `kubeconfig-${container.name}`);
  const ca = join(mounted, "ca.crt");
  const user = pod.spec.serviceAccountName ?? "default";
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "pod",
    clusters: [
      { name: "plane", cluster: { server: apiServer, ...(existsSync(ca) ? { "certificate-authority": ca } : {}) } },
    ],
    users: [{ name: user, user: { tokenFile: join(mounted, "token") } }],
    contexts: [{ name: "pod", context: { cluster: "plane", user, namespace: pod.metadata.namespace } }],
  };
  await podFolder.writeFile(path, JSON.stringify(kubeconfig, undefined, 2), 0o600);
  return { ...env, KUBECONFIG: path };
}
