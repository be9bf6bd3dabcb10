import { channel } from "node:diagnostics_channel";
import type { Clock } from "@kubewright/clock";
import {
  HttpServer,
  type Manager,
  RequestAuthenticator,
  type Runnable,
  type RunnableDescription,
  type ServingTls,
} from "@kubewright/manager";
import { type Assets, loadAssets } from "./assets/assets.ts";
import { ConsoleData } from "./data/console-data.ts";
import { History, sampleMs } from "./data/history.ts";
import type { Panel } from "./data/panel.ts";
import { Panels } from "./data/panels.ts";
import { Permissions } from "./data/permissions.ts";
import { runtimeOf } from "./data/runtime.ts";
import { EventStreams } from "./http/event-streams.ts";
import { routes } from "./http/routes.ts";
import { Gate } from "./security/gate.ts";
import { checkListening, type Listening } from "./security/listening.ts";
import { Sessions } from "./security/sessions.ts";

/** What somebody may no longer see is shown no longer than this. A browser asks once a second. */
const keepMs = { authenticated: 10_000, allowed: 10_000, denied: 10_000 };

/** Where a {@link Console} is served, and by which names browsers may reach it. */
export interface ConsoleOptions {
  /** `127.0.0.1:8090`; port 0 takes any that is free. Other machines' reach needs `tls`. */
  readonly bindAddress: string;
  /** PEM as it is, or files that are read anew when they change. */
  readonly tls?: ServingTls | undefined;
  /** The names by which browsers reach it, beside `localhost` and addresses. Default: none. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * A session that is good from the start, and is what each browser that is let in gets: for a program that is started again and again, whose
   * browsers are to stay. At least 32 characters that nobody guesses. Default: each has one of its own, which ends with the program.
   */
  readonly session?: string | undefined;
  /** Where the program is deployed, for its permissions there. Default `default`. */
  readonly namespace?: string | undefined;
}

/**
 * A view of a running manager, served by it. It runs with the manager, on every replica; it changes nothing.
 *
 * On loopback a browser is let in by an address of {@link newUrl}, good once; elsewhere, and through a forwarded port, by a bearer token
 * whose user may `get` the path (as a non-resource URL), and sees objects that the user may get, and names, causes and errors of kinds that the
 * user may list. Data of Secrets is shown to nobody.
 */
export class Console implements Runnable {
  readonly name = "console";
  readonly group = "http";
  readonly #manager: Manager;
  readonly #clock: Clock;
  readonly #listening: Listening;
  readonly #sessions: Sessions;
  readonly #panels: Panels;
  readonly #history = new History();
  readonly #streams: EventStreams;
  readonly #server: HttpServer;
  #assets: Promise<Assets> | undefined;

  /** @throws {Error} for an address that is none, or that other machines reach while there is no `tls`; for a session that is short */
  constructor(manager: Manager, options: ConsoleOptions) {
    const { bindAddress, tls, hosts = [], session, namespace = "default" } = options;
    const { clock, logger } = manager;
    this.#listening = checkListening(bindAddress, tls);
    this.#manager = manager;
    this.#clock = clock;
    this.#sessions = new Sessions(clock, session);
    this.#panels = new Panels(clock);
    const authenticator = new RequestAuthenticator(manager.unfenced.apiReader, clock, keepMs);
    const gate = new Gate({ listening: this.#listening, sessions: this.#sessions, authenticator });
    const permissions = new Permissions({ manager, clock, namespace });
    const data = new ConsoleData({ manager, clock, gate, history: this.#history, panels: this.#panels, permissions });
    this.#streams = new EventStreams({ clock, tick: () => data.tick() });
    const handler = routes({
      listening: this.#listening,
      hosts,
      sessions: this.#sessions,
      clock,
      gate,
      streams: this.#streams,
      data,
      assets: () => this.#load(),
    });
    this.#server = new HttpServer({ name: "console", bindAddress, handler, tls, clock, logger });
  }

  /** Where it is to listen: roles by which viewers are known, and an account of theirs, are written from it. */
  describe(): RunnableDescription {
    const { port, isSecure } = this.#listening;
    return { console: { port, isSecure } };
  }

  /** How its server is doing right now. */
  inspect(): ReturnType<HttpServer["inspect"]> {
    return this.#server.inspect();
  }

  /** Shows data of the application's own. @throws {Error} that names the field, for a panel that cannot be shown */
  panel(panel: Panel): void {
    this.#panels.add(panel);
  }

  /** Where it listens, once it does. */
  get port(): number | undefined {
    return this.#server.port;
  }

  /** How many browsers listen right now. */
  get listeners(): number {
    return this.#streams.size;
  }

  /**
   * An address that lets one browser in, once, within ten minutes. Beyond loopback it carries no token: people bring their own.
   *
   * @throws {Error} before it listens
   */
  newUrl(): string {
    const { port } = this;
    if (port === undefined) throw new Error("the console does not listen yet; wait for ready()");
    if (!this.#listening.isLoopback) return `https://localhost:${port}/`;
    const scheme = this.#listening.isSecure ? "https" : "http";
    return `${scheme}://127.0.0.1:${port}/#t=${this.#sessions.newToken()}`;
  }

  /** Resolves when it listens. */
  ready(): Promise<void> {
    return this.#server.ready();
  }

  /** Serves, and keeps an hour of numbers, until the signal aborts. @throws {Error} if the address cannot be listened on */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const sampling = this.#sample(both);
    try {
      await this.#server.run(signal);
    } finally {
      stop.abort();
      this.#streams.close();
      await sampling;
    }
  }

  async #sample(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#history.add(this.#clock.now(), runtimeOf(this.#manager).controllers);
      await this.#clock.sleep(sampleMs, signal);
    }
  }

  #load(): Promise<Assets> {
    this.#assets ??= loadAssets().catch((error: unknown) => {
      this.#assets = undefined; // so that the next request tries again
      throw error;
    });
    return this.#assets;
  }
}

/** Tools that run a program hear of its consoles there, as `kubewright dev` does. */
const additions = channel("kubewright.console");

/**
 * Adds a console to a manager. Without this call there is none.
 *
 * ```ts
 * const view = addConsole(manager, { bindAddress: "127.0.0.1:8090" });
 * ```
 *
 * The channel `kubewright.console` of `node:diagnostics_channel` is told of it.
 *
 * @throws {Error} for an address that is none, or that other machines reach while there is no `tls`; for a session that is short
 */
export function addConsole(manager: Manager, options: ConsoleOptions): Console {
  const added = new Console(manager, options);
  manager.add(added);
  additions.publish(added);
  return added;
}
