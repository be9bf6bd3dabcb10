import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bundled, launcherEnvironment, launcherOptions } from "./bundle.ts";

const serverNames = ["kubewright", "kubewright, journal", "kube-apiserver"] as const;
export type ServerName = (typeof serverNames)[number];

/** A running API server in separate processes. */
export interface ServerSubject extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly pids: readonly number[];
  /**
   * Time from the start of the program until it was ready. For our server, `inProcessStartMs` does not include the
   * start of Node.
   */
  readonly startMs: number;
  readonly inProcessStartMs: number | undefined;
}

/** Returns the servers whose programs are installed. */
export function availableServers(): readonly ServerName[] {
  const assets = process.env.KUBEBUILDER_ASSETS ?? "";
  const real = assets !== "" && ["etcd", "kube-apiserver"].every((name) => existsSync(join(assets, name)));
  return serverNames.filter((name) => real || name !== "kube-apiserver");
}

export function startServer(name: ServerName): Promise<ServerSubject> {
  return name === "kube-apiserver" ? startReal(process.env.KUBEBUILDER_ASSETS ?? "") : startOurs(name);
}

interface OurProgram {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

let made: Promise<OurProgram> | undefined;

/** Returns the program that runs as a drop-in replacement in envtest: the bundled server, with a warm compile cache. */
async function ourProgram(): Promise<OurProgram> {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kubewright", "bench");
  const path = await bundled(fileURLToPath(new URL("./our-server.ts", import.meta.url)), join(folder, "our-server"));
  const compileCache = join(folder, "compile-cache");
  const env = { ...process.env, ...launcherEnvironment, NODE_ENV: "production", NODE_COMPILE_CACHE: compileCache };
  const warmUp = spawn(process.execPath, [...launcherOptions, path, "--warm-up"], { stdio: "ignore", env });
  await once(warmUp, "exit");
  return { path, env };
}

async function startOurs(name: ServerName): Promise<ServerSubject> {
  made ??= ourProgram();
  const { path, env } = await made;
  const folder = mkdtempSync(join(tmpdir(), "bench-server-"));
  const journal = name === "kubewright, journal" ? [join(folder, "journal")] : [];
  const began = performance.now();
  const child = spawn(process.execPath, [...launcherOptions, path, ...journal], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const { url, token, inProcessStartMs } = JSON.parse(String(value)) as Omit<ServerSubject, "pids">;
  return {
    url,
    token,
    inProcessStartMs,
    startMs: performance.now() - began,
    pids: pidsOf([child]),
    async [Symbol.asyncDispose]() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startReal(assets: string): Promise<ServerSubject> {
  const folder = mkdtempSync(join(tmpdir(), "bench-server-"));
  const [clientPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const key = join(folder, "sa.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(key, String(privateKey.export({ type: "pkcs1", format: "pem" })), { mode: 0o600 });
  writeFileSync(join(folder, "tokens.csv"), 'secret,root,1,"system:masters"\n', { mode: 0o600 });
  const began = performance.now();
  const etcd = spawn(
    join(assets, "etcd"),
    [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      "--unsafe-no-fsync",
    ],
    { stdio: "ignore" },
  );
  const server = spawn(
    join(assets, "kube-apiserver"),
    [
      `--etcd-servers=${etcdUrl}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--cert-dir=${folder}`,
      `--token-auth-file=${join(folder, "tokens.csv")}`,
      "--authorization-mode=RBAC",
      "--service-cluster-ip-range=10.96.0.0/16",
      "--disable-admission-plugins=ServiceAccount",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
    ],
    { stdio: "ignore" },
  );
  const url = `https://127.0.0.1:${port}`;
  while (!(await isReady(url))) await sleep(20);
  return {
    url,
    token: "secret",
    startMs: performance.now() - began,
    inProcessStartMs: undefined,
    pids: pidsOf([etcd, server]),
    async [Symbol.asyncDispose]() {
      await Promise.all([end(etcd), end(server)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(`${url}/readyz`, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.on("error", () => resolve(false));
    sent.end();
  });
}

const pidsOf = (children: readonly ChildProcess[]): number[] => children.flatMap(({ pid }) => (pid ? [pid] : []));

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
