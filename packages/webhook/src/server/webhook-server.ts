import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { Discovery, type InProcessHandle, type InProcessRequest, type InProcessResponse } from "@kubewright/client";
import { type Clock, systemClock, untilAborted } from "@kubewright/clock";
import { defaultLogger, type Logger, safeLogger } from "@kubewright/log";
import type { CertificateSource } from "../certificates/certificate-source.ts";
import {
  type CertificateParts,
  certificatesOf,
  mountedFolder,
  usualCertificates,
} from "../certificates/certificates-option.ts";
import { configurationsOf, targetsOf } from "../configuration/configurations.ts";
import { EntryKeeper } from "../configuration/entry-keeper.ts";
import type { WebhookTarget } from "../configuration/webhook-target.ts";
import { ByteLimiter } from "../endpoint/byte-limiter.ts";
import type { Endpoint, EndpointParts, HttpCall, HttpResponse } from "../endpoint/endpoint.ts";
import { FailureLog } from "../endpoint/failure-log.ts";
import { noMetrics } from "../endpoint/webhook-metrics.ts";
import { FormerWebhooks } from "./former-webhooks.ts";
import { exchange, exchangeInProcess, type HttpExchange, inProcessResponse, type Route } from "./http-exchange.ts";
import { checkReachable } from "./reachable.ts";
import { type ServerDescription, webhookDescriptions } from "./server-description.ts";
import { TlsListener } from "./tls-listener.ts";
import type { ServedWebhook } from "./webhook.ts";
import { WebhookRoutes } from "./webhook-routes.ts";
import type { WebhookServerOptions } from "./webhook-server-options.ts";

/** Maximum time that calls have to finish when the server stops. */
const shutdownMs = 60_000;

/**
 * Serves webhooks over TLS, on every replica. Until it has a certificate, it does not listen, and `check` fails with the reason.
 *
 * The constructor starts nothing. You can add webhooks before and after the server starts.
 *
 * @see controller-runtime pkg/webhook Server
 */
export class WebhookServer {
  readonly name = "webhooks";
  readonly group = "webhooks";
  readonly #options: WebhookServerOptions;
  readonly #parts: EndpointParts;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #routes: WebhookRoutes;
  readonly #calls = new Set<Promise<void>>();
  readonly #stopCalls = new AbortController();
  readonly #begun = Promise.withResolvers<void>();
  /** Source of the certificate. Created by `run` if it depends on files or on the pod in which the program runs. */
  #certificates: CertificateSource | undefined;
  #listener: TlsListener | undefined;
  #handle: InProcessHandle | undefined;
  #stopping: AbortSignal | undefined;
  /** The check in progress whether the server accepts connections. */
  #reachable: Promise<void> | undefined;
  /** Webhooks of other revisions. Absent if the server cannot read the configurations that call it. */
  #former: FormerWebhooks | undefined;
  /** End of the served certificate's validity. It is cached, because parsing a certificate takes longer than the rest of an inspection. */
  #inspected: { readonly cert: string; readonly notAfter: string } | undefined;

  /** @throws {Error} if `certificates` is not valid */
  constructor(options: WebhookServerOptions = {}) {
    const { client, clock = systemClock, metrics = noMetrics, certificates } = options;
    const logger = safeLogger(options.logger ?? defaultLogger());
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    const bodies = new ByteLimiter(options.maxBodyBytesInFlight ?? 64 * 1024 * 1024, clock);
    this.#parts = { client, clock, logger, metrics, bodies, failures: new FailureLog(clock) };
    this.#routes = new WebhookRoutes(metrics, logger);
    if (certificates && !("dir" in certificates))
      this.#certificates = certificatesOf(certificates, this.#certificateParts);
    this.#begun.promise.catch(() => {}); // reported by `run`
  }

  /**
   * The leader's task that adds and removes entries of webhook configurations; see `EntryKeeper`. It ends immediately if the server cannot
   * determine which configurations are its own.
   */
  get upkeep(): { readonly name: string; readonly group: "leaderElection"; run(signal: AbortSignal): Promise<void> } {
    const run = async (signal: AbortSignal): Promise<void> => this.#keeper()?.run(signal);
    return { name: "webhook-entries", group: "leaderElection", run };
  }

  /**
   * Handles a request from this process as if it had arrived at the server's port. `undefined` while the server is not listening. A request
   * for a path without a webhook gets status 404.
   */
  get handle(): InProcessHandle | undefined {
    return this.#handle;
  }

  /** Port of the server; `undefined` while it is not listening. */
  get port(): number | undefined {
    return this.#listener?.port;
  }

  /**
   * Adds a webhook's endpoints. Ignores endpoints that already exist at the same path for the same purpose.
   *
   * @throws {Error} if a path is used for a different purpose, or a kind already has a conversion
   */
  add(...webhooks: readonly ServedWebhook[]): void {
    for (const webhook of webhooks) this.#routes.add(webhook);
  }

  /** Serves an endpoint at its path. @throws {Error} if the path is in use */
  register(endpoint: Endpoint): void {
    this.#routes.register(endpoint);
  }

  /**
   * Returns the objects that make API servers call the added webhooks: webhook configurations, and CRDs with their conversion
   * webhooks.
   *
   * @throws {Error} if API servers do not accept the URL
   */
  configurations(target: WebhookTarget): ReturnType<typeof configurationsOf> {
    const caBundle = target.caBundle ?? this.#certificates?.caBundle;
    return configurationsOf(this.#routes, { ...target, caBundle });
  }

  /** Describes the added webhooks, and the Secrets and objects that the certificates require. Sends no requests. */
  describe(): ServerDescription {
    const webhooks = webhookDescriptions(this.#routes.declarations, this.#routes.conversions);
    const certificates = this.#certificates?.describe?.();
    return certificates ? { webhooks, certificates } : { webhooks };
  }

  /** Returns the current state. `notAfter` is the expiry time of the certificate being served. */
  inspect(): {
    readonly port: number | undefined;
    readonly callsInFlight: number;
    readonly certificate?: { readonly notAfter: string };
  } {
    const cert = this.#certificates?.current?.cert;
    if (cert !== this.#inspected?.cert)
      this.#inspected = cert ? { cert, notAfter: new X509Certificate(cert).validToDate.toISOString() } : undefined;
    const { notAfter } = this.#inspected ?? {};
    const certificate = notAfter === undefined ? {} : { certificate: { notAfter } };
    return { port: this.port, callsInFlight: this.#calls.size, ...certificate };
  }

  /** Checks readiness. @throws {Error} if a new caller would not be served, or the server is about to stop */
  async check(): Promise<void> {
    if (this.#stopping?.aborted) throw new Error("the webhook server is about to stop");
    this.#certificates?.check();
    this.#former?.check();
    const { port } = this;
    if (this.#handle && this.#options.listen === false) return;
    if (port === undefined) throw new Error("webhook server has not been started yet");
    // anyone may request the readiness check, so concurrent checks share one connection
    this.#reachable ??= checkReachable(port, this.#options.host).finally(() => {
      this.#reachable = undefined;
    });
    await this.#reachable;
  }

  /** Resolves when the server is listening or has to wait for a certificate. */
  ready(): Promise<void> {
    return this.#begun.promise;
  }

  /**
   * Handles a call that did not arrive at the server's port, for example a call from a simulated API server. The server need not be
   * running, and such calls are not counted.
   *
   * @returns `undefined` if nothing is served at the path
   *
   * @see controller-runtime pkg/webhook Server.WebhookMux
   */
  async answer(call: HttpCall): Promise<HttpResponse | undefined> {
    return await this.#routeAt(call.path)?.endpoint.answer(call, this.#parts);
  }

  /**
   * Serves webhooks until the signal aborts.
   *
   * @param stopping aborts when the rest of the program begins to stop: from then on, `check` fails, but calls are served until `signal`
   * aborts
   *
   * @throws {Error} if the server cannot listen, or has no certificate source
   */
  async run(signal: AbortSignal, stopping?: AbortSignal): Promise<void> {
    this.#stopping = stopping;
    const retire = (): void => this.#listener?.retire();
    stopping?.addEventListener("abort", retire, { once: true });
    const stop = new AbortController();
    const forward = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", forward, { once: true });
    if (signal.aborted) forward();
    let kept: Promise<void> = Promise.resolve();
    try {
      const source = this.#requireCertificates();
      kept = source?.run(stop.signal) ?? kept;
      this.#former = this.#formerOf(source);
      await Promise.all([kept, this.#former?.run(stop.signal), this.#serve(source, stop.signal)]);
    } catch (error) {
      this.#begun.reject(error);
      throw error;
    } finally {
      stop.abort();
      signal.removeEventListener("abort", forward);
      stopping?.removeEventListener("abort", retire);
      await kept.catch(() => {}); // reported above
      await this.#close();
      this.#begun.resolve();
    }
  }

  /**
   * Returns the source of the certificate, or `undefined` if `tls` contains a certificate, or if no certificate is
   * needed.
   */
  #requireCertificates(): CertificateSource | undefined {
    const { certificates, tls = {}, listen = true } = this.#options;
    if (!listen) return undefined;
    const hasOwn = tls.cert !== undefined || tls.pfx !== undefined || tls.SNICallback !== undefined;
    if (hasOwn && !certificates) return undefined;
    this.#certificates ??= certificatesOf(certificates ?? usualCertificates(), this.#certificateParts);
    return this.#certificates;
  }

  get #clientCaFile(): string | undefined {
    const { clientCAName, certificates } = this.#options;
    const dir = certificates && "dir" in certificates ? certificates.dir : mountedFolder;
    return clientCAName === undefined ? undefined : resolve(dir, clientCAName);
  }

  get #certificateParts(): CertificateParts {
    const { certificateClient: client, certificateMetrics: metrics, certificateEvents: events } = this.#options;
    const targets = (name: string) => targetsOf(this.#routes, name);
    return { clock: this.#clock, logger: this.#logger, client, metrics, events, targets };
  }

  async #serve(source: CertificateSource | undefined, signal: AbortSignal): Promise<void> {
    const { port = 9443, host, tls = {}, listen = true } = this.#options;
    const changed = Promise.withResolvers<void>();
    const ended = untilAborted(signal);
    const unlisten = source?.onChange((pair) => {
      changed.resolve();
      this.#listener?.use(pair);
    });
    try {
      if (source && !source.current) {
        this.#logger.info("the webhook server is waiting for a certificate");
        this.#begun.resolve();
        await Promise.race([changed.promise, ended]);
      }
      if (signal.aborted) return;
      this.#handle = (request) => this.#answerInProcess(request);
      if (!listen) {
        this.#begun.resolve();
        await ended;
        return;
      }
      const answer = (http: HttpExchange): void => this.#answer(http);
      const parts = { clock: this.#clock, logger: this.#logger, clientCaFile: this.#clientCaFile, answer };
      const listening = { port, host, tls, ...parts };
      this.#listener = await TlsListener.listen(listening, source?.current);
      this.#logger.info({ host, port: this.port }, "serving webhook server");
      if (parts.clientCaFile !== undefined && this.#routes.conversions.length > 0)
        this.#logger.warn(
          "clientCAName: API servers do not send a certificate when they request conversions, so conversions will fail",
        );
      this.#begun.resolve();
      await ended;
    } finally {
      unlisten?.();
    }
  }

  #keeper(): EntryKeeper | undefined {
    const { leaderClient: client, program } = this.#options;
    const described = this.#certificates?.describe?.();
    if (!client || !program || !described?.service) return undefined;
    const { service, mutatingWebhookConfigurations: mutating, validatingWebhookConfigurations: validating } = described;
    return new EntryKeeper({
      ...{ client, program, service, clock: this.#clock, logger: this.#logger },
      names: { mutating, validating },
      declarations: () => this.#routes.declarations,
      entryOf: (declaration) => {
        const { caBundle } = this.#certificates ?? {};
        if (!caBundle) return undefined;
        const declared = { declarations: [declaration], definitions: [] };
        const [made] = configurationsOf(declared, { service, caBundle });
        return made && "webhooks" in made && Array.isArray(made.webhooks) ? made.webhooks[0] : undefined;
      },
      isServed: async ({ group, version, plural }) => {
        const resources = await new Discovery(client.connection).resources();
        return resources.some(
          (one) => one.gvr.group === group && one.gvr.version === version && one.gvr.resource === plural,
        );
      },
    });
  }

  #routeAt(path: string): Route | undefined {
    return this.#routes.at(path) ?? this.#former?.at(path);
  }

  #formerOf(source: CertificateSource | undefined): FormerWebhooks | undefined {
    const { certificateClient: client } = this.#options;
    const described = source?.describe?.();
    if (!client || !described) return undefined;
    const { mutatingWebhookConfigurations: mutating, validatingWebhookConfigurations: validating } = described;
    const names = { mutating, validating };
    return new FormerWebhooks({ client, names, routes: this.#routes, clock: this.#clock, logger: this.#logger });
  }

  #answer(http: HttpExchange): void {
    const { request, response } = http;
    const route = this.#routeAt(request.url.split("?", 1)[0] ?? "");
    if (!route) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
      response.end("404 page not found\n");
      return;
    }
    this.#count(exchange(http, route, this.#parts, this.#stopCalls.signal));
  }

  async #answerInProcess(request: InProcessRequest): Promise<InProcessResponse> {
    const route = this.#routeAt(request.path.split("?", 1)[0] ?? "");
    if (!route) return inProcessResponse(404, "text/plain; charset=utf-8", "404 page not found\n");
    return this.#count(exchangeInProcess(request, route, this.#parts, this.#stopCalls.signal));
  }

  /** Counts a call until it ends. */
  #count<T>(call: Promise<T>): Promise<T> {
    const ended: Promise<void> = call.then(
      () => {},
      () => {},
    );
    this.#calls.add(ended);
    void ended.finally(() => this.#calls.delete(ended));
    return call;
  }

  async #close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#handle = undefined;
    const late = new AbortController();
    const idle = async (): Promise<void> => void (await Promise.allSettled(this.#calls));
    await (listener
      ? listener.close(idle, shutdownMs, this.#clock)
      : Promise.race([idle(), this.#clock.sleep(shutdownMs, late.signal)]));
    late.abort();
    this.#stopCalls.abort(new Error("the webhook server stopped"));
  }
}
