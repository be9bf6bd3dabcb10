import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { Client, Connection } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { createLogger, silentLogger } from "@kubewright/log";
import type { ClusterFlags, CommandContext } from "../command/context.ts";
import { UsageError } from "../command/errors.ts";
import { currentContext, isLocal, pinned } from "./current-context.ts";

/** The cluster in which `dev` runs the program. */
export interface DevCluster extends AsyncDisposable {
  readonly client: Client;
  /** Kubeconfig for the program. */
  readonly kubeconfig: string;
  /** Context in the kubeconfig; undefined for the embedded control plane. */
  readonly context?: string | undefined;
  readonly server: string;
}

/** Preferred port, which API servers usually listen on. If it is in use, the control plane gets any free port. */
const usualPort = 6443;

/** Starts an embedded control plane. Disposing of the cluster stops the control plane. */
export async function embeddedCluster({ io, cwd }: CommandContext, root: string): Promise<DevCluster> {
  const began = systemClock.monotonic();
  const { startControlPlane } = await import("@kubewright/controller-manager");
  const kubeconfig = join(root, ".kubewright/kubeconfig");
  const start = (port: number) =>
    startControlPlane({ host: "127.0.0.1", port, kubeconfigOut: kubeconfig, logger: createLogger({ level: "warn" }) });
  const plane = await start(usualPort).catch((error: unknown) => {
    if (isTaken(error)) return start(0);
    throw error;
  });
  const seconds = ((systemClock.monotonic() - began) / 1_000).toFixed(1);
  const shown = relative(cwd, kubeconfig);
  io.out(`  control plane ${plane.url} (${seconds} s)   export KUBECONFIG=${shown}\n`);
  const client = new Client({ connection: plane.connection(), fieldOwner: "kubewright" });
  return {
    client,
    kubeconfig,
    server: plane.url,
    async [Symbol.asyncDispose]() {
      await client.close();
      await plane.stop();
      rmSync(kubeconfig, { force: true });
    },
  };
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && (("code" in error && error.code === "EADDRINUSE") || /EADDRINUSE/.test(error.message));

/**
 * Returns the cluster of the kubeconfig's current context.
 *
 * @param folder folder for the kubeconfig that pins the program to this cluster
 * @throws {UsageError} if there is no current context, `--context` is a different context, or the cluster is not local
 *   and `--context` is missing
 */
export function ownCluster(context: CommandContext, flags: ClusterFlags, folder: string): DevCluster {
  const { io } = context;
  const current = currentContext(context, flags);
  if (flags.context !== undefined && flags.context !== current.name)
    throw new UsageError(
      `--context ${JSON.stringify(flags.context)}: the kubeconfig's current context is ${JSON.stringify(current.name)}; run kubectl config use-context ${flags.context}`,
    );
  const kubeconfig = pinned(current, join(folder, "kubeconfig"));
  const connection = Connection.fromDefault({ env: { ...io.env, KUBECONFIG: kubeconfig }, logger: silentLogger });
  const { server } = connection.settings;
  if (flags.context === undefined && !isLocal(current.name, server))
    throw new UsageError(
      `context ${JSON.stringify(current.name)} (${server}) is not a cluster on this machine; pass --context ${current.name} to develop on it, or --cluster embedded`,
    );
  io.out(`  context ${current.name}   ${server}\n`);
  const client = new Client({ connection, fieldOwner: "kubewright" });
  return {
    client,
    kubeconfig,
    context: current.name,
    server,
    async [Symbol.asyncDispose]() {
      await client.close();
      await connection.close();
    },
  };
}
