import type {
  DefinitionWithConversion,
  Webhook,
  WebhookConfiguration,
  WebhookListenOptions,
  WebhookServerOptions,
  WebhookTarget,
} from "@kubewright/webhook";
import type { Runnable } from "./runnable.ts";

/** The part of a webhook server that a manager needs; satisfied by `WebhookServer`. */
export interface ManagedWebhookServer extends Runnable {
  readonly group: "webhooks";
  /** The server's port, once it is listening. */
  readonly port: number | undefined;
  /** Work of the leader for the server. Default: none. */
  readonly upkeep?: Runnable | undefined;
  add(...webhooks: readonly Webhook[]): void;
  configurations(target: WebhookTarget): (WebhookConfiguration | DefinitionWithConversion)[];
  /** @throws {Error} unless new connections are served */
  check(): void | Promise<void>;
}

/**
 * Address and certificate of a manager's webhooks; without webhooks, there is no server.
 *
 * @see controller-runtime pkg/webhook Options
 */
export interface WebhookOptions extends WebhookListenOptions {
  /** Server to use instead of one made from the other options. */
  readonly server?: ManagedWebhookServer | undefined;
  /**
   * Time in milliseconds for which webhooks are served after the signal to stop, while `/readyz` already fails: API servers and proxies
   * learn late that a pod is ending. Default 0; with `run` in a pod, 10,000.
   */
  readonly lingerMs?: number | undefined;
  /** Disables the server without an error, for example to run without certificates. Default false. */
  readonly disabled?: boolean | undefined;
}

/** Provides the server's options, and runs it. */
export interface WebhookHost {
  /** Called once, with the first webhook. */
  readonly serverOptions: () => WebhookServerOptions;
  /** Runs the server, and makes readiness wait for it. */
  readonly serve: (server: ManagedWebhookServer) => void;
}

/**
 * The webhooks of a manager. The first one added starts the server, which runs on every replica, whether it is the leader or not;
 * `/readyz` waits for it with the check `webhooks`.
 */
export class ManagerWebhooks {
  readonly #options: WebhookOptions;
  readonly #host: WebhookHost;
  #server: ManagedWebhookServer | undefined;

  constructor(options: WebhookOptions, host: WebhookHost) {
    this.#options = options;
    this.#host = host;
  }

  /** The server, once there is a webhook to serve; or the one from the options. */
  get server(): ManagedWebhookServer | undefined {
    return this.#server ?? this.#options.server;
  }

  /** The server's port, once it is listening. */
  get port(): number | undefined {
    return this.server?.port;
  }

  /** Time in milliseconds for which webhooks are served after the signal; 0 without webhooks. */
  get lingerMs(): number {
    const { disabled = false, lingerMs = 0 } = this.#options;
    return this.#server && !disabled ? lingerMs : 0;
  }

  /** Adds webhooks. @throws {Error} if a path is taken by another webhook, or the manager is stopping */
  add(...webhooks: readonly Webhook[]): void {
    for (const webhook of webhooks) this.#serverFor(webhook).add(webhook);
  }

  /**
   * Returns the objects that make API servers call the added webhooks: webhook configurations, and CRDs with their conversion webhooks.
   *
   * @throws {Error} if the URL is not valid for API servers
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
