import process from "node:process";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import { ApiRequests } from "./bed/api-requests.ts";
import { objectPath, poll } from "./bed/api-writes.ts";
import type { Faults } from "./bed/faults.ts";
import { freePorts } from "./bed/free-ports.ts";
import { kubeconfigText } from "./bed/kubeconfig.ts";
import { NotSupportedByTestBed } from "./bed/not-supported.ts";
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
import { type TestWebhookOptions, type WebhookProgram, webhooksOf } from "./webhook/served-webhooks.ts";
import { type Configuration, isConfiguration, type WebhookSource } from "./webhook/webhook-source.ts";

/**
 * What an {@link Environment} begins with, and which of the two beds it is.
 *
 * @see controller-runtime pkg/envtest Environment
 */
export interface EnvironmentOptions {
  /** Installed, and served when `start` resolves: kinds made by `defineKind`, definitions, files or folders. */
  readonly crds?: readonly CrdSource[] | undefined;
  /** A file or folder of `crds` that is not there is an error. Default false: it is passed over. */
  readonly errorIfCrdPathMissing?: boolean | undefined;
  /**
   * Installed before the program that serves them runs, as it will with `webhookOptions()`: configurations, files or folders. They are made to
   * call it, whatever they say of where it is; so are the conversions of `crds`. What a program knows itself, `serve` installs.
   */
  readonly webhooks?: readonly WebhookSource[] | undefined;
  /** Users besides `admin`. */
  readonly users?: readonly TestUser[] | undefined;
  /** Default `RBAC`, in which only `admin` may do anything until a test says otherwise. */
  readonly authorization?: "RBAC" | "AlwaysAllow" | undefined;
  /** The server's time. Only the embedded server takes another than the machine's. */
  readonly clock?: Clock | undefined;
  /** Default: silent. */
  readonly logger?: Logger | undefined;
  /** The folder of the real binaries; the empty string means the embedded server. Default: the variable KUBEBUILDER_ASSETS. */
  readonly assets?: string | undefined;
  /** Default 60 s for the real server to become ready, and for definitions to be served. */
  readonly startTimeoutMs?: number | undefined;
}

const admin: TestUser = { name: "admin", groups: ["system:masters"] };

/**
 * An API server for tests: the embedded one, or real etcd and kube-apiserver where `KUBEBUILDER_ASSETS` says where they are. As
 * upstream's, it is the server alone: no controllers run, so nothing makes pods of Deployments, and deleted namespaces stay.
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

  /** @throws {NotSupportedByTestBed} if an option is not for the bed in use */
  static async start(options: EnvironmentOptions = {}): Promise<Environment> {
    const webhooks = options.webhooks && loadWebhooks(options.webhooks);
    const [port] = webhooks ? await freePorts(1) : [];
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

  /** Which server this is. */
  get bed(): "embedded" | "real" {
    return this.#bed.name;
  }

  /** `https://127.0.0.1:port`; stays the same over a restart. */
  get url(): string {
    return this.connection().server;
  }

  /** What may be made to go wrong between a program and this server. */
  get faults(): Faults {
    return this.#bed.faults;
  }

  /** How to connect as a user that was added. Default: `admin`, who may do everything. */
  connection(user: string = admin.name): TestConnection {
    const connection = this.#connections.get(user);
    if (!connection) throw new Error(`there is no user "${user}" in this environment: add it first`);
    return connection;
  }

  /** The same as the text of a kubeconfig. It holds a private key. */
  kubeconfig(user: string = admin.name): string {
    return kubeconfigText(this.connection(user), user);
  }

  /** Makes a user known, with a client certificate. */
  async addUser(user: TestUser): Promise<TestConnection> {
    const connection = await this.#bed.connectionFor(user);
    this.#connections.set(user.name, connection);
    return connection;
  }

  /**
   * A token of a service account, signed with the key of the server's own, for as short a time as a test wants. The account
   * must be there. Servers take a token for a minute longer than it says.
   *
   * @throws {Error} if there is no such account
   */
  async serviceAccountToken(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    { expiresInSeconds }: { readonly expiresInSeconds: number },
  ): Promise<string> {
    const path = objectPath(`${objectPath("/api/v1/namespaces", namespace)}/serviceaccounts`, name);
    return this.#asAdmin(async (api) => {
      const { status, text } = await api.send("GET", path);
      if (status !== 200) throw new Error(`there is no service account ${namespace}/${name}: ${status} ${text}`);
      const { metadata } = JSON.parse(text) as { metadata: { uid: string } };
      return this.#bed.accountToken({ namespace, name, uid: metadata.uid }, expiresInSeconds);
    });
  }

  /** Creates or updates definitions, and resolves when all their versions are served. */
  async installCrds(sources: readonly CrdSource[]): Promise<void> {
    const loaded = loadCrds(sources, { errorIfPathMissing: this.#options.errorIfCrdPathMissing ?? false });
    const crds = this.#options.webhooks ? loaded.map((crd) => definitionWith(crd, this.#webhooks.called)) : loaded;
    await this.#asAdmin((api) => installCrds(api, crds, this.#patience));
  }

  /** Deletes definitions and all objects of their kinds. */
  async uninstallCrds(sources: readonly CrdSource[]): Promise<void> {
    const crds = loadCrds(sources);
    await this.#asAdmin((api) => uninstallCrds(api, crds, this.#patience));
  }

  /** Where a program under test is to serve its webhooks, and with which certificate: the option `webhooks` of a `Manager`. */
  webhookOptions(): TestWebhookOptions {
    return this.#webhooks.options;
  }

  /**
   * Has the API server ask a program that runs here: waits until it listens, installs the configurations and definitions that it derives from its
   * webhooks, and resolves when the API server asks. Disposing of the result deletes the configurations.
   *
   * @throws {Error} if the program does not listen in time (default 10 s), or the API server does not reach or trust it
   * @see controller-runtime pkg/envtest WebhookInstallOptions
   */
  async serve(program: WebhookProgram, options: { readonly timeoutMs?: number } = {}): Promise<AsyncDisposable> {
    const webhooks = webhooksOf(program);
    const patience = { clock: systemClock, timeoutMs: options.timeoutMs ?? 10_000 };
    const remedy = "run the program, made with `webhooks: env.webhookOptions()`, before it is served: nobody listens";
    await poll(patience, remedy, () => webhooks.port !== undefined);
    const url = this.#webhooks.urlAt(webhooks.port ?? 0);
    const objects = webhooks.configurations({ url });
    const { trusted } = this.#webhooks;
    const configurations = objects.filter(isConfiguration).map((each) => configurationWith(each, trusted));
    const crds = objects.filter(isCrd).map((crd) => definitionWith(crd, trusted));
    await this.#asAdmin((api) => installCrds(api, crds, this.#patience));
    const remove = () => this.#asAdmin((api) => uninstallWebhooks(api, configurations));
    try {
      for (const answer of await this.#installWebhooks(configurations))
        if (answer.includes(unreached)) throw new Error(`the API server does not get through to ${url}: ${answer}`);
    } catch (error) {
      await remove();
      throw error;
    }
    return { [Symbol.asyncDispose]: remove };
  }

  /** Ends the server hard, drops every connection, and starts it again at the same address with the same data. */
  async restart(): Promise<void> {
    await this.#bed.restart();
  }

  /**
   * Forgets history, as a compaction of etcd does: a list at an older version, or the rest of one, answers 410. So does a watch
   * from an older version, once the server is not able to answer it from memory: kube-apiserver remembers the last changes until it
   * is restarted. On the real bed this takes 17 s, because kube-apiserver asks only every 15 s what was compacted.
   */
  async compact(): Promise<void> {
    await this.#bed.compact();
  }

  /** Ends the server and forgets its data. Calling it twice does nothing more. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.#bed.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  // Waiting here is for a server in another process or with its own clock, so it takes the machine's time.
  get #patience() {
    return { clock: systemClock, timeoutMs: this.#options.startTimeoutMs ?? defaultTimeoutMs };
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
/** How API servers begin to tell of calls that got no answer. */
const unreached = 'Post "https://';

async function startBed(options: EnvironmentOptions): Promise<TestBed> {
  const { logger = silentLogger, authorization = "RBAC", clock } = options;
  const assets = options.assets ?? process.env.KUBEBUILDER_ASSETS ?? "";
  if (assets === "") return EmbeddedBed.start({ logger, authorization, clock: clock ?? systemClock });
  if (clock !== undefined && clock !== systemClock)
    throw new NotSupportedByTestBed("the real API server has its own clock");
  return RealBed.start({
    binaries: binariesIn(assets),
    logger,
    authorization,
    startTimeoutMs: options.startTimeoutMs ?? defaultTimeoutMs,
  });
}
