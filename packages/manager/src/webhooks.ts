import type {
  DefinitionWithConversion,
  Webhook,
  WebhookConfiguration,
  WebhookListenOptions,
  WebhookServerOptions,
  WebhookTarget,
} from "@kubewright/webhook";
import type { Runnable } from "./runnable/runnable.ts";

/** What a manager needs of a server of webhooks. `WebhookServer` is one. */
export interface ManagedWebhookServer extends Runnable {
  readonly group: "webhooks";
  /** Where it listens, once it does. */
  readonly port: number | undefined;
  /** What the leader does for it. Default: nothing. */
  readonly upkeep?: Runnable | undefined;
  add(...webhooks: readonly Webhook[]): void;
  configurations(target: WebhookTarget): (WebhookConfiguration | DefinitionWithConversion)[];
  /** @throws {Error} unless somebody who connects now is served */
  check(): void | Promise<void>;
}

/**
 * Where a manager's webhooks are served, and with which certificate; nothing is where none is added.
 *
 * @see controller-runtime pkg/webhook Options
 */
export interface WebhookOptions extends WebhookListenOptions {
  /** Instead of the server that is made of the other options. */
  readonly server?: ManagedWebhookServer | undefined;
  /**
   * How long webhooks are served after the signal to stop, while `/readyz` already fails: API servers and proxies hear late that a pod ends.
   * Default 0; `run` has 10,000 ms in a pod.
   */
  readonly lingerMs?: number | undefined;
  /** Nothing is served, and that is no failure: for a run without certificates, say. Default false. */
  readonly disabled?: boolean | undefined;
}

/** What the server is made of, and who runs it. */
export interface WebhookHost {
  /** Called once, with the first webhook. */
  readonly serverOptions: () => WebhookServerOptions;
  /** Runs the server, and lets readiness wait for it. */
  readonly serve: (server: ManagedWebhookServer) => void;
}

/**
 * The webhooks of a manager. The first that is added brings the server, which runs on every replica, whether it leads or not; `/readyz`
 * waits for it as `webhooks`.
 */
export class ManagerWebhooks {
  readonly #options: WebhookOptions;
  readonly #host: WebhookHost;
  #server: ManagedWebhookServer | undefined;

  constructor(options: WebhookOptions, host: WebhookHost) {
    this.#options = options;
    this.#host = host;
  }

  /** The server, once there is something to serve; the one that was given, if one was. */
  get server(): ManagedWebhookServer | undefined {
    return this.#server ?? this.#options.server;
  }

  /** Where it listens, once it does. */
  get port(): number | undefined {
    return this.server?.port;
  }

  /** How long they are served after the signal; 0 where none is. */
  get lingerMs(): number {
    const { disabled = false, lingerMs = 0 } = this.#options;
    return this.#server && !disabled ? lingerMs : 0;
  }

  /** @throws {Error} if a path is taken by another webhook, or the manager is stopping */
  add(...webhooks: readonly Webhook[]): void {
    for (const webhook of webhooks) this.#serverFor(webhook).add(webhook);
  }

  /**
   * The objects that make API servers ask what was added: webhook configurations, and definitions with their conversion.
   *
   * @throws {Error} if the url is none that API servers take
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
