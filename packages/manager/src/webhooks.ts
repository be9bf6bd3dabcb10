import type { InProcessHandle } from "@kubewright/client";
import type {
  DefinitionWithConversion,
  Webhook,
  WebhookConfiguration,
  WebhookListenOptions,
  WebhookServerOptions,
  WebhookTarget,
} from "@kubewright/webhook";
import type { Runnable } from "./runnable.ts";

/** The members of a webhook server that a manager needs. Implemented by `WebhookServer`. */
export interface ManagedWebhookServer extends Runnable {
  readonly group: "webhooks";
  /** Port of the server. `undefined` until it is listening. */
  readonly port: number | undefined;
  /** Answers a request from this process. `undefined` until the server serves, or if it does not support this. */
  readonly handle?: InProcessHandle | undefined;
  /** The leader's work for the server. Default: none. */
  readonly upkeep?: Runnable | undefined;
  add(...webhooks: readonly Webhook[]): void;
  configurations(target: WebhookTarget): (WebhookConfiguration | DefinitionWithConversion)[];
  /** Checks that new connections are served. @throws {Error} if they are not */
  check(): void | Promise<void>;
}

/**
 * Options for a manager's webhooks: their address and certificate. Without webhooks, no server is started.
 *
 * @see controller-runtime pkg/webhook Options
 */
export interface WebhookOptions extends WebhookListenOptions {
  /** Server to use instead of one that is created from the other options. */
  readonly server?: ManagedWebhookServer | undefined;
  /**
   * Time in milliseconds for which webhooks are still served after the stop signal, while `/readyz` already fails. API servers and proxies
   * notice only after a delay that a pod is terminating. Default 0; with `run` in a pod, 10,000.
   */
  readonly lingerMs?: number | undefined;
  /** True to disable the server without an error, for example to run without certificates. Default false. */
  readonly disabled?: boolean | undefined;
}

/** Provides the server's options and runs the server. */
export interface WebhookHost {
  /** Returns the server's options. Called once, with the first webhook. */
  readonly serverOptions: () => WebhookServerOptions;
  /** Runs the server and makes readiness depend on it. */
  readonly serve: (server: ManagedWebhookServer) => void;
}

/**
 * A manager's webhooks. Adding the first webhook enables the server, which runs on every replica, not only on the
 * leader. `/readyz` fails its `webhooks` check until the server is running.
 */
export class ManagerWebhooks {
  readonly #options: WebhookOptions;
  readonly #host: WebhookHost;
  #server: ManagedWebhookServer | undefined;

  constructor(options: WebhookOptions, host: WebhookHost) {
    this.#options = options;
    this.#host = host;
  }

  /** The server in the options, or the server that was created when the first webhook was added. */
  get server(): ManagedWebhookServer | undefined {
    return this.#server ?? this.#options.server;
  }

  /** Port of the server. `undefined` until it is listening. */
  get port(): number | undefined {
    return this.server?.port;
  }

  /**
   * Handles a request from this process as if it had arrived at the server's port. `undefined` until the server is listening.
   *
   * @see WebhookServer.handle
   */
  get handle(): InProcessHandle | undefined {
    return this.server?.handle;
  }

  /** Time in milliseconds for which webhooks are still served after the stop signal. 0 without webhooks. */
  get lingerMs(): number {
    const { disabled = false, lingerMs = 0 } = this.#options;
    return this.#server && !disabled ? lingerMs : 0;
  }

  /** Adds webhooks. @throws {Error} if another webhook has the same path, or the manager is stopping */
  add(...webhooks: readonly Webhook[]): void {
    for (const webhook of webhooks) this.#serverFor(webhook).add(webhook);
  }

  /**
   * Returns the objects that make API servers call the added webhooks: webhook configurations, and CRDs with their conversion webhooks.
   *
   * @throws {Error} if API servers do not accept the URL
   */
  configurations(target: WebhookTarget): (WebhookConfiguration | DefinitionWithConversion)[] {
    return this.server?.configurations(target) ?? [];
  }

  #serverFor(webhook: Webhook): ManagedWebhookServer {
    if (this.#server) return this.#server;
    const { server: given, disabled = false } = this.#options;
    const server = given ?? webhook.newServer(this.#host.serverOptions());
    if (!disabled) this.#host.serve(server);
    this.#server = server;
    return server;
  }
}
