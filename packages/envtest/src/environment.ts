import process from "node:process";
import { type Clock, nextTurn, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import { ApiRequests } from "./bed/api-requests.ts";
import { objectPath, poll } from "./bed/api-writes.ts";
import type { Faults } from "./bed/faults.ts";
import { freePorts } from "./bed/free-ports.ts";
import { kubeconfigText } from "./bed/kubeconfig.ts";
import { NotSupportedByTestBedError } from "./bed/not-supported.ts";
import type { TestBed, TestConnection, TestUser } from "./bed/test-bed.ts";
import { type CrdSource, isCrd } from "./crd/crd-source.ts";
import { installCrds, uninstallCrds } from "./crd/install-crds.ts";
import { loadCrds } from "./crd/load-crds.ts";
import { EmbeddedBed } from "./embedded/embedded-bed.ts";
import { binariesIn } from "./real/commands.ts";
import { RealBed } from "./real/real-bed.ts";
import { installWebhooks, uninstallWebhooks } from "./webhook/install-webhooks.ts";
import { loadWebhooks } from "./webhook/load-webhooks.ts";
import { configurationWith, definitionWith, LocalServer } from "./webhook/local-server.ts";
import {
  type ServedWebhooks,
  type TestWebhookOptions,
  type WebhookProgram,
  webhooksOf,
} from "./webhook/served-webhooks.ts";
import { type Configuration, isConfiguration, type WebhookSource } from "./webhook/webhook-source.ts";

/**
 * Options for an {@link Environment}.
 *
 * @see controller-runtime pkg/envtest Environment
 */
export interface EnvironmentOptions {
  /** CRDs to install. They are served once `start` resolves. Each item is a kind created by `defineKind`, a CRD, a file or a folder. */
  readonly crds?: readonly CrdSource[] | undefined;
  /** True to throw an error if a file or folder in `crds` does not exist. Default false: it is ignored. */
  readonly errorIfCrdPathMissing?: boolean | undefined;
  /**
   * Webhook configurations, files or folders to install before the program runs. The environment rewrites these configurations, and the
   * conversion webhooks in `crds`, so that they call the program, which must use `webhookOptions()`. For configurations that the program
   * generates itself, use `serve`.
   */
  readonly webhooks?: readonly WebhookSource[] | undefined;
  /** Users in addition to `admin`. */
  readonly users?: readonly TestUser[] | undefined;
  /** Authorization mode. Default `RBAC`: only `admin` has permissions until the test grants some to other users. */
  readonly authorization?: "RBAC" | "AlwaysAllow" | undefined;
  /**
   * True to enable the ServiceAccount admission plugin, which mounts a token into each pod and rejects pods whose
   * service account does not exist. Use it with controllers that create the `default` account in each namespace.
   * Default false.
   */
  readonly serviceAccountAdmission?: boolean | undefined;
  /**
   * True to call the embedded server directly, without sockets, TLS and certificates. {@link Environment.connection} then contains a
   * function in place of an address, so only clients in this process can connect. Order and timing depend only on promises and the clock.
   * Default false.
   */
  readonly inProcess?: boolean | undefined;
  /** The server's clock. Only the embedded server supports a clock other than the system clock. */
  readonly clock?: Clock | undefined;
  /** Logger for the environment and its server. Default: no logging. */
  readonly logger?: Logger | undefined;
  /**
   * Folder that contains the real binaries. An empty string selects the embedded server. Default: the environment variable
   * `KUBEBUILDER_ASSETS`.
   */
  readonly assets?: string | undefined;
  /** Maximum time in milliseconds until the real server is ready and the CRDs are served. Default 60,000. */
  readonly startTimeoutMs?: number | undefined;
}

const admin: TestUser = { name: "admin", groups: ["system:masters"] };

/**
 * An API server for tests: the embedded one, or real etcd and kube-apiserver if `KUBEBUILDER_ASSETS` is set. As in
 * upstream's envtest, no controllers run, so Deployments get no pods, and deleted namespaces remain in the
 * `Terminating` phase.
 *
 * @see controller-runtime pkg/envtest Environment
 */
export class Environment {
  readonly #bed: TestBed;
  readonly #options: EnvironmentOptions;
  readonly #connections = new Map<string, TestConnection>();
  readonly #webhooks: LocalServer;
  #isStopped = false;

  private constructor(bed: TestBed, options: EnvironmentOptions, webhooks: LocalServer) {
    this.#bed = bed;
    this.#options = options;
    this.#webhooks = webhooks;
  }

  /**
   * Starts a server and installs the CRDs and webhooks. @throws {NotSupportedByTestBedError} if this test bed does not support an option
   */
  static async start(options: EnvironmentOptions = {}): Promise<Environment> {
    const webhooks = options.webhooks && loadWebhooks(options.webhooks);
    const [port] = options.inProcess ? (["in process"] as const) : webhooks ? await freePorts(1) : [];
    const env = new Environment(await startBed(options), options, new LocalServer(port));
    try {
      for (const user of [admin, ...(options.users ?? [])]) await env.addUser(user);
      if (options.crds) await env.installCrds(options.crds);
      if (webhooks) await env.#installWebhooks(webhooks.map((each) => configurationWith(each, env.#webhooks.called)));
    } catch (error) {
      await env.stop();
      throw error;
    }
    return env;
  }

  /** Type of the server. */
  get bed(): "embedded" | "real" {
    return this.#bed.name;
  }

  /** URL of the server, such as `https://127.0.0.1:6443`. It remains the same after a restart. */
  get url(): string {
    return this.connection().server;
  }

  /** Injects faults between a program and this server. */
  get faults(): Faults {
    return this.#bed.faults;
  }

  /** Returns the connection settings for a user who was added. Default: `admin`, who has all permissions. */
  connection(user: string = admin.name): TestConnection {
    const connection = this.#connections.get(user);
    if (!connection) throw new Error(`there is no user "${user}" in this environment; call addUser first`);
    return connection;
  }

  /**
   * Returns the connection settings for a user as a kubeconfig. It contains a private key.
   *
   * @throws {NotSupportedByTestBedError} if the environment was started with `inProcess`
   */
  kubeconfig(user: string = admin.name): string {
    if (this.#options.inProcess)
      throw new NotSupportedByTestBedError(
        "an in-process server has no address; start the environment without inProcess",
      );
    return kubeconfigText(this.connection(user), user);
  }

  /** Adds a user with a client certificate. */
  async addUser(user: TestUser): Promise<TestConnection> {
    const connection = await this.#bed.connectionFor(user);
    this.#connections.set(user.name, connection);
    return connection;
  }

  /**
   * Creates a token for an existing service account. It is signed with the server's own key, and may have any lifetime. Servers accept a
   * token for one minute after it has expired.
   *
   * @throws {Error} if the account does not exist
   */
  async serviceAccountToken(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    { expiresInSeconds }: { readonly expiresInSeconds: number },
  ): Promise<string> {
    const path = objectPath(`${objectPath("/api/v1/namespaces", namespace)}/serviceaccounts`, name);
    return this.#asAdmin(async (api) => {
      const { status, text } = await api.send("GET", path);
      if (status !== 200) throw new Error(`the service account ${namespace}/${name} does not exist: ${status} ${text}`);
      const { metadata } = JSON.parse(text) as { metadata: { uid: string } };
      return this.#bed.accountToken({ namespace, name, uid: metadata.uid }, expiresInSeconds);
    });
  }

  /** Creates or updates CRDs, and resolves when all their served versions are available. */
  async installCrds(sources: readonly CrdSource[]): Promise<void> {
    const loaded = loadCrds(sources, { errorIfPathMissing: this.#options.errorIfCrdPathMissing ?? false });
    const crds = this.#options.webhooks ? loaded.map((crd) => definitionWith(crd, this.#webhooks.called)) : loaded;
    await this.#asAdmin((api) => installCrds(api, crds, this.#patience));
  }

  /** Deletes CRDs and all objects of their kinds. */
  async uninstallCrds(sources: readonly CrdSource[]): Promise<void> {
    const crds = loadCrds(sources);
    await this.#asAdmin((api) => uninstallCrds(api, crds, this.#patience));
  }

  /** Returns the address and certificates for the webhooks of a program under test. Pass them as the `webhooks` option of a `Manager`. */
  webhookOptions(): TestWebhookOptions {
    return this.#webhooks.options;
  }

  /**
   * Connects the API server to the webhooks of a program in this process: waits until the program listens, installs the configurations and
   * CRDs that it generates, and resolves when they are in effect. To delete the configurations, dispose of the result. This call is also
   * required if both `webhooks` and `inProcess` are set, but it then installs nothing.
   *
   * @throws {Error} if the program does not listen in time (default 10 s), or if the API server cannot reach it or does not trust it
   * @see controller-runtime pkg/envtest WebhookInstallOptions
   */
  async serve(program: WebhookProgram, options: { readonly timeoutMs?: number } = {}): Promise<AsyncDisposable> {
    const webhooks = webhooksOf(program);
    const { inProcess = false } = this.#options;
    const patience = { ...this.#patience, timeoutMs: options.timeoutMs ?? 10_000 };
    const remedy =
      "create the program with `webhooks: env.webhookOptions()` and run it before serve(); the program is not listening";
    await poll(patience, remedy, () => (inProcess ? webhooks.handle : webhooks.port) !== undefined);
    if (!inProcess) return this.#callProgram(webhooks, this.#webhooks.urlAt(webhooks.port ?? 0));
    const url = this.#options.webhooks ? this.#webhooks.url : this.#webhooks.newUrl();
    const disconnect = this.#connectInProcess(new URL(url).host, webhooks);
    try {
      const called = this.#options.webhooks ? undefined : await this.#callProgram(webhooks, url);
      return {
        async [Symbol.asyncDispose]() {
          await called?.[Symbol.asyncDispose]();
          disconnect();
        },
      };
    } catch (error) {
      disconnect();
      throw error;
    }
  }

  /** Kills the server, drops all connections, and restarts it at the same address with the same data. */
  async restart(): Promise<void> {
    await this.#bed.restart();
  }

  /**
   * Removes the history, like a compaction of etcd: lists at an older version, and their next pages, return 410. Watches from an older
   * version also return 410, unless the server can still serve them from memory: kube-apiserver keeps recent changes until it restarts. On
   * the real server, this call takes 17 s, because kube-apiserver checks for compactions only every 15 s.
   */
  async compact(): Promise<void> {
    await this.#bed.compact();
  }

  /** Stops the server and deletes its data. Calling it again has no effect. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.#bed.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  // Options for waiting. They use the system clock, because the server may be another process or have its own clock. What happens in this
  // process happens without waiting, as soon as other work can run.
  get #patience() {
    const withoutSleep = { monotonic: systemClock.monotonic, sleep: () => nextTurn() };
    const clock = this.#options.inProcess ? withoutSleep : systemClock;
    return { clock, timeoutMs: this.#options.startTimeoutMs ?? defaultTimeoutMs };
  }

  /** Installs the configurations and CRDs that a program generates, so that the API server calls the program at a URL. */
  async #callProgram(webhooks: ServedWebhooks, url: string): Promise<AsyncDisposable> {
    const objects = webhooks.configurations({ url });
    const { trusted } = this.#webhooks;
    const configurations = objects.filter(isConfiguration).map((each) => configurationWith(each, trusted));
    const crds = objects.filter(isCrd).map((crd) => definitionWith(crd, trusted));
    await this.#asAdmin((api) => installCrds(api, crds, this.#patience));
    const remove = () => this.#asAdmin((api) => uninstallWebhooks(api, configurations));
    try {
      for (const answer of await this.#installWebhooks(configurations))
        if (answer.includes(unreached)) throw new Error(`the API server cannot reach ${url}: ${answer}`);
    } catch (error) {
      await remove();
      throw error;
    }
    return { [Symbol.asyncDispose]: remove };
  }

  #connectInProcess(host: string, webhooks: ServedWebhooks): () => void {
    const connect = this.#bed.connectInProcess?.bind(this.#bed);
    if (!connect) throw new NotSupportedByTestBedError("the API server runs in another process");
    return connect(host, async (request) => {
      if (!webhooks.handle) throw Object.assign(new Error("connect: connection refused"), { code: "ECONNREFUSED" });
      return webhooks.handle(request);
    });
  }

  #installWebhooks(configurations: readonly Configuration[]): Promise<string[]> {
    return this.#asAdmin((api) => installWebhooks(api, configurations, this.#patience));
  }

  async #asAdmin<T>(work: (api: ApiRequests) => Promise<T>): Promise<T> {
    const api = new ApiRequests(this.connection());
    try {
      return await work(api);
    } finally {
      api.close();
    }
  }
}

const defaultTimeoutMs = 60_000;
/** Beginning of the messages of API servers about failed webhook calls. */
const unreached = 'Post "https://';

async function startBed(options: EnvironmentOptions): Promise<TestBed> {
  const { logger = silentLogger, authorization = "RBAC", serviceAccountAdmission = false, clock } = options;
  const { inProcess = false } = options;
  const assets = options.assets ?? (inProcess ? "" : (process.env.KUBEBUILDER_ASSETS ?? ""));
  if (assets === "")
    return EmbeddedBed.start({
      logger,
      authorization,
      serviceAccountAdmission,
      inProcess,
      clock: clock ?? systemClock,
    });
  if (inProcess) throw new NotSupportedByTestBedError("the real API server cannot run in this process");
  if (clock !== undefined && clock !== systemClock)
    throw new NotSupportedByTestBedError("the real API server has its own clock");
  return RealBed.start({
    binaries: binariesIn(assets),
    logger,
    authorization,
    serviceAccountAdmission,
    startTimeoutMs: options.startTimeoutMs ?? defaultTimeoutMs,
  });
}
