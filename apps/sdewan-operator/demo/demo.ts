import type { Unstructured } from "@kubewright/apimachinery";
import { InformerCache } from "@kubewright/cache";
import { Client, type ConnectionSettings, type Reader } from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import { type ControlPlane, startControlPlane } from "@kubewright/controller-manager";
import { type Logger, silentLogger } from "@kubewright/log";
import { UserError } from "../src/cli/user-error.ts";
import { connectTo } from "../src/cnf/connect.ts";
import { SessionPool } from "../src/cnf/session/session-pool.ts";
import { runOperator } from "../src/operator/operator.ts";
import type { OperatorOptions } from "../src/operator/operator-options.ts";
import { clusterNames } from "../src/resolve/cluster-names.ts";
import { missingCertificates } from "./cnf-certificates.ts";
import { CnfSimulators, type CnfSimulatorsOptions } from "./cnf-simulators.ts";
import { install, installCrds, nameOf } from "./install.ts";
import { localWebhooks } from "./local-webhooks.ts";
import { operatorAccount } from "./operator-account.ts";
import { type Snapshot, snapshot } from "./snapshot.ts";

/** Cluster on which a demo runs: the embedded control plane, or another one with the same controllers. */
export type DemoPlane = Pick<ControlPlane, "connection" | "node" | "stop">;

/** Default interval between two checks of the CNFs. It is shorter than in a cluster because a person is watching. */
const checkIntervalMs = 3_000;

/** Settings of a demo, apart from the cluster it runs on. */
export interface DemoSettings {
  /** The Deployments of the CNFs, and the objects they need. Missing certificate Secrets are created. */
  readonly cnfs: readonly Unstructured[];
  /** Settings of the operator. `checkIntervalMs` defaults to 3,000. */
  readonly operator?: Pick<
    OperatorOptions,
    "checkIntervalMs" | "cnfNamespaces" | "cnfTimeouts" | "prepare" | "resolve" | "session"
  >;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** Settings of a demo that starts its own control plane. */
export interface EmbeddedDemoSettings extends DemoSettings {
  /** Port of the API server. Default: any free port. */
  readonly port?: number;
  /** File for a kubeconfig. Default: none is written. */
  readonly kubeconfigOut?: string;
  readonly simulators?: CnfSimulatorsOptions;
}

/**
 * Demo that runs everything in one process: a control plane, simulated CNFs as its pods, and the operator with its own ServiceAccount. With
 * its kubeconfig, you can use the control plane like any other cluster.
 */
export class Demo<P extends DemoPlane = ControlPlane> implements AsyncDisposable {
  /** Stopped together with the demo. */
  readonly plane: P;
  /** The CNFs that run as pods of the cluster. */
  readonly simulators: CnfSimulators;
  /** A client with administrator permissions. */
  readonly client: Client;
  /** Settles when the operator ends; rejects if it fails. */
  readonly ended: Promise<void>;
  readonly #reader: Reader;
  readonly #pool: SessionPool;
  readonly #stop: AbortController;
  readonly #cache: Promise<void>;

  private constructor(
    plane: P,
    simulators: CnfSimulators,
    client: Client,
    settings: DemoSettings,
    connection: ConnectionSettings,
  ) {
    const { logger = silentLogger, clock = systemClock, operator } = settings;
    this.plane = plane;
    this.simulators = simulators;
    this.client = client;
    this.#stop = new AbortController();
    const cache = new InformerCache({ client, logger, clock });
    const resolve = clusterNames(cache, operator?.resolve);
    const webhooks = localWebhooks(client);
    const options = {
      connection,
      metricsBindAddress: "0",
      logger,
      clock,
      checkIntervalMs,
      ...operator,
      resolve,
      webhooks,
    };
    this.ended = runOperator(options, this.#stop.signal);
    this.ended.catch(() => {}); // callers that await it receive the error
    this.#cache = cache.run(this.#stop.signal);
    this.#cache.catch((err: unknown) => logger.error({ err }, "the view's cache ended"));
    this.#reader = cache;
    this.#pool = new SessionPool({
      reader: cache,
      connect: (endpoint) => connectTo(endpoint, logger),
      endpoint: { scheme: "https" },
    });
  }

  /**
   * Starts a control plane, the operator and the CNFs, without custom resources.
   *
   * @throws {UserError} if the port is taken or the kubeconfig cannot be written
   */
  static async start(settings: EmbeddedDemoSettings): Promise<Demo> {
    const simulators = new CnfSimulators(settings.simulators);
    return Demo.on(await startPlane(settings, simulators), simulators, settings);
  }

  /** Starts the demo on a running control plane whose node starts `simulators`. The control plane is stopped with the demo. */
  static async on<P extends DemoPlane>(plane: P, simulators: CnfSimulators, settings: DemoSettings): Promise<Demo<P>> {
    const { logger = silentLogger, clock = systemClock } = settings;
    const client = new Client({ connection: plane.connection(), fieldOwner: "kubewright-demo", logger, clock });
    try {
      await installCrds(client, clock, new AbortController().signal, settings.cnfs);
      const [failure] = await install(client, [...missingCertificates(settings.cnfs), ...settings.cnfs]);
      if (failure) throw new Error(`cannot create ${nameOf(failure.object)}`, { cause: failure.error });
      const connection = await operatorAccount(client, plane.connection());
      return new Demo(plane, simulators, client, settings, connection);
    } catch (error) {
      await client.close();
      await plane.stop();
      throw error;
    }
  }

  /** Returns the current state of the resources and CNFs. Queries each CNF. */
  snapshot(): Promise<Snapshot> {
    return snapshot(this.#reader, this.#pool);
  }

  /** Reader for a cache that the demo does not share with the operator. */
  get reader(): Reader {
    return this.#reader;
  }

  /** Stops everything. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([this.ended, this.#cache, this.#pool.close()]);
    await this.client.close();
    await this.plane.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

async function startPlane(settings: EmbeddedDemoSettings, simulators: CnfSimulators): Promise<ControlPlane> {
  const { port, kubeconfigOut, logger, clock } = settings;
  try {
    return await startControlPlane({
      images: simulators.images,
      ...(port === undefined ? {} : { port }),
      ...(kubeconfigOut === undefined ? {} : { kubeconfigOut }),
      ...(logger ? { logger } : {}),
      ...(clock ? { clock } : {}),
    });
  } catch (error) {
    const { code, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
    if (code === "EADDRINUSE") throw new UserError(`port ${port} is in use`, { cause: error });
    if (code === "EACCES" && syscall === "listen")
      throw new UserError(`permission to use port ${port} denied`, { cause: error });
    if (code === "EEXIST" && error instanceof Error) throw new UserError(error.message, { cause: error });
    if (code !== undefined) throw new UserError(`cannot write ${kubeconfigOut}`, { cause: error });
    throw error;
  }
}
