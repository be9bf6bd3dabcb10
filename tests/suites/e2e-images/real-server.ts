import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerContext, Probe, ProbeResult, RunningContainer } from "@kubewright/controller-manager";
import type { PodNetworks } from "./pod-networks.ts";
import type { Container } from "./simulated-files.ts";

/** Subcommands of `agnhost` that run as a process, because tests talk to them. */
export const realServers: ReadonlySet<string> = new Set(["crd-conversion-webhook", "netexec", "webhook"]);

export interface RealServers {
  /** Path of the program `agnhost`. */
  readonly agnhost: string;
  readonly networks: PodNetworks;
}

/** Makes the program, which needs no libraries, visible in a folder, and runs it with this folder as its root. */
const inFolder =
  'touch "$2/agnhost" && mount --bind "$1" "$2/agnhost" && root="$2" && shift 2 && exec chroot "$root" /agnhost "$@"';

/**
 * Starts `agnhost` as a process in its pod's network. The process sees only its own program and the files of its volumes.
 *
 * @param args its arguments, including the subcommand
 */
export async function startRealServer(
  { agnhost, networks }: RealServers,
  context: ContainerContext,
  container: Container,
  args: readonly string[],
): Promise<RunningContainer> {
  const folder = await mkdtemp(join(tmpdir(), "kubewright-e2e-pod-"));
  await copyVolumes(context, container, folder);
  const run = ["unshare", "--mount", "sh", "-c", inFolder, "sh", agnhost, folder, ...args];
  const [program = "", ...words] = [...(await networks.enter(context)), ...run];
  const { hostname, port } = new URL(context.apiServer);
  const env = {
    PATH: process.env.PATH,
    HOSTNAME: context.pod.metadata.name,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    ...Object.fromEntries(await context.env()),
  };
  const child = spawn(program, words, { env, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.on("data", (chunk: Buffer) => context.output.write(chunk));
  child.stderr.on("data", (chunk: Buffer) => context.output.write(chunk, "stderr"));
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  child.on("error", () => resolve(127));
  child.on("close", (code) => resolve(code ?? 137));
  void exited.then(() => rm(folder, { recursive: true, force: true }));
  return {
    exited,
    stop: async (graceMs = 0) => {
      child.kill("SIGTERM");
      await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
      child.kill("SIGKILL");
      await exited;
    },
    probe: (probe, signal) => probeHttp(context.ip, container, probe, signal),
  };
}

/** Copies the files of a container's volumes to their mount paths within a folder. */
async function copyVolumes(context: ContainerContext, { volumeMounts = [] }: Container, folder: string): Promise<void> {
  const volumes = await context.volumes.read();
  await mkdir(join(folder, "tmp"));
  for (const { name, mountPath } of volumeMounts)
    for (const [path, { content, mode }] of volumes.get(name) ?? []) {
      const file = join(folder, join("/", mountPath), path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode });
    }
}

/** Sends the request of a probe or hook. All others succeed. */
export function probeHttp(
  ip: string,
  { ports = [] }: Container,
  { httpGet }: Probe,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  if (!httpGet) return Promise.resolve({ isGood: true });
  const { host = ip, port, path = "/", scheme = "HTTP" } = httpGet;
  const number = typeof port === "number" ? port : ports.find(({ name }) => name === port)?.containerPort;
  const options = { host, port: number, path, signal, agent: false, rejectUnauthorized: false };
  const request = (scheme === "HTTPS" ? requestHttps : requestHttp)(options, (response) => {
    const { statusCode = 0 } = response.resume();
    const isGood = statusCode >= 200 && statusCode < 400;
    resolve(isGood ? { isGood } : { isGood, message: `HTTP probe failed with statuscode: ${statusCode}` });
  });
  request.on("error", ({ message }) => resolve({ isGood: false, message }));
  request.end();
  return promise;
}
