import { channel } from "node:diagnostics_channel";
import type { Clock } from "@kubewright/clock";
import type { Manager, Runnable, RunnableDescription, ServingTls } from "@kubewright/manager";
import { HttpServer, RequestAuthenticator } from "@kubewright/manager/http";
import { type Assets, loadAssets } from "./assets/assets.ts";
import { ConsoleData } from "./data/console-data.ts";
import { History, sampleMs } from "./data/history.ts";
import type { Panel } from "./data/panel.ts";
import { Panels } from "./data/panels.ts";
import { mayProgram, Permissions } from "./data/permissions.ts";
import { runtimeOf } from "./data/runtime.ts";
import { EventStreams } from "./http/event-streams.ts";
import { routes } from "./http/routes.ts";
import { Gate } from "./security/gate.ts";
import { checkListening, type Listening } from "./security/listening.ts";
import { Sessions } from "./security/sessions.ts";

/** Maximum age of authentication and authorization results, in milliseconds. Revoked access takes effect after this delay. */
const keepMs = { authenticated: 10_000, allowed: 10_000, denied: 10_000 };

/** Options for a {@link Console}. */
export interface ConsoleOptions {
  /** Address to listen on, such as `127.0.0.1:8090`. Port 0 picks a free port. Addresses that other machines can reach require `tls`. */
  readonly bindAddress: string;
  /** Certificate and key in PEM format, or files that are reloaded when they change. */
  readonly tls?: ServingTls | undefined;
  /** Host names that browsers use, in addition to `localhost` and IP addresses. Default: none. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * Session that is shared by all admitted browsers and is valid from the start, so that browsers stay signed in when the program restarts.
   * It must consist of at least 32 random characters. Default: each browser gets its own session, which ends with the program.
   */
  readonly session?: string | undefined;
  /**
   * Address of a trace, which recorded reconciles link to. `{traceId}` is replaced by the ID of the trace, as in
   * `https://jaeger.example.com/trace/{traceId}`. Default: no links.
   */
  readonly traceUrl?: string | undefined;
  /** The program's namespace, in which its permissions are checked. Default `default`. */
  readonly namespace?: string | undefined;
}

/**
 * A read-only web view of a running manager. It runs on every replica.
 *
 * On loopback, a URL from {@link newUrl} admits a single browser, once. On other interfaces, and through a forwarded
 * port, the console requires a bearer token whose user is allowed to `get` the path (as a non-resource URL). Users see
 * the objects that they are allowed to get, and the names, causes and errors of objects whose kinds they are allowed to
 * list. The data in Secrets is never shown.
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

  /**
   * Creates a console for a manager. @throws {Error} if the address is not valid, if other machines can reach it without `tls`, if the
   * session is too short, or if `traceUrl` is not a valid address
   */
  constructor(manager: Manager, options: ConsoleOptions) {
    const { bindAddress, tls, hosts = [], session, namespace = "default", traceUrl } = options;
    if (traceUrl !== undefined && !/^https?:\/\//.test(traceUrl))
      throw new Error(`traceUrl: "${traceUrl}" is not a valid URL; use one that begins with https://`);
    const { clock, logger } = manager;
    this.#listening = checkListening(bindAddress, tls);
    this.#manager = manager;
    this.#clock = clock;
    this.#sessions = new Sessions(clock, session);
    this.#panels = new Panels(clock);
    const authenticator = new RequestAuthenticator(manager.unfenced.apiReader, clock, keepMs);
    const gate = new Gate({
      listening: this.#listening,
      sessions: this.#sessions,
      authenticator,
      mayProgram: (object) => mayProgram(manager.unfenced.apiReader, object),
    });
    const permissions = new Permissions({ manager, clock, namespace });
    const [history, panels] = [this.#history, this.#panels];
    const data = new ConsoleData({ manager, clock, gate, history, panels, permissions, traceUrl });
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
      recording: () => manager.recording.dump(),
      links: { newUrl: () => this.newUrl(), print: terminal(), nextMs: 0 },
    });
    this.#server = new HttpServer({ name: "console", bindAddress, handler, tls, clock, logger });
  }

  /** Describes the console's port. The roles for authenticating viewers and the viewer account are generated from this description. */
  describe(): RunnableDescription {
    const { port, isSecure } = this.#listening;
    return { console: { port, isSecure } };
  }

  /** Returns the current state of the server. */
  inspect(): ReturnType<HttpServer["inspect"]> {
    return this.#server.inspect();
  }

  /** Adds a panel with data from the application. @throws {Error} if the panel is not valid; the message contains the field */
  panel(panel: Panel): void {
    this.#panels.add(panel);
  }

  /** Port of the console. Undefined until the console listens. */
  get port(): number | undefined {
    return this.#server.port;
  }

  /** Number of connected browsers. */
  get listeners(): number {
    return this.#streams.size;
  }

  /**
   * Returns an address that admits one browser, once, within ten minutes. If the console does not listen on loopback, the address does not
   * contain a token, so users need their own tokens.
   *
   * @throws {Error} if the console is not listening yet
   */
  newUrl(): string {
    const { port } = this;
    if (port === undefined) throw new Error("the console is not listening yet; await ready() first");
    if (!this.#listening.isLoopback) return `https://localhost:${port}/`;
    const scheme = this.#listening.isSecure ? "https" : "http";
    return `${scheme}://127.0.0.1:${port}/#t=${this.#sessions.newToken()}`;
  }

  /** Waits until the console is listening. */
  ready(): Promise<void> {
    return this.#server.ready();
  }

  /** Serves the console and records an hour of metrics until the signal aborts. @throws {Error} if the address is in use */
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
      this.#assets = undefined; // the next request can try again
      throw error;
    });
    return this.#assets;
  }
}

/** Returns a function that prints in the program's terminal, or undefined if there is none. */
const terminal = (): ((text: string) => void) | undefined =>
  process.stderr.isTTY ? (text) => void process.stderr.write(text) : undefined;

/** Channel on which consoles are announced to tools such as `kubewright dev`. */
const additions = channel("kubewright.console");

/**
 * Adds a console to a manager. By default, a manager has no console.
 *
 * ```ts
 * const view = addConsole(manager, { bindAddress: "127.0.0.1:8090" });
 * ```
 *
 * Publishes the console on the `kubewright.console` channel of `node:diagnostics_channel`.
 *
 * @throws {Error} if the address is not valid, if other machines can reach it without `tls`, or if the session is too short
 */
export function addConsole(manager: Manager, options: ConsoleOptions): Console {
  const added = new Console(manager, options);
  manager.add(added);
  additions.publish(added);
  return added;
}
