import { type ApiRequest, type ResourceScope, sendPlainText } from "@kubewright/apiserver/endpoints";
import type { ResolveService } from "@kubewright/apiserver/webhook";
import { Backoff, type Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { fetchDiscovery } from "../discovery/fetch-discovery.ts";
import type { VersionEntry } from "../discovery/version-entry.ts";
import { type Documents, fetchDocuments } from "../openapi/fetch-documents.ts";
import { proxyRequest } from "../proxy/proxy-request.ts";
import {
  type ApiService,
  isAvailable,
  isSameEnd,
  type RemoteApiService,
  readApiService,
} from "../service/api-service.ts";
import { Recurring } from "../service/recurring.ts";
import { type Availability, checkAvailability, type ServiceObjects } from "../status/check-availability.ts";
import { writeCondition } from "../status/write-condition.ts";
import { ExtensionEnd, type ProxyCertificate } from "../transport/extension-end.ts";
import type { IdentityHeaders } from "../transport/forwarded-headers.ts";

export interface ExtensionParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly resolveService: ResolveService;
  readonly objects: ServiceObjects;
  readonly proxyCertificate: ProxyCertificate | undefined;
  readonly identity: IdentityHeaders;
  /** Scope with which the aggregator writes APIServices. */
  readonly scope: ResourceScope;
  /** Called when the extension's resources or address have changed. */
  readonly changed: () => void;
}

const refreshMs = 60_000;
const resyncMs = 30_000;

/**
 * An APIService that refers to a Service, with its availability, resources and connections. Extensions are independent
 * of each other.
 */
export class Extension {
  readonly #parts: ExtensionParts;
  readonly #stopping = new AbortController();
  readonly #status: Recurring;
  readonly #discovery: Recurring;
  readonly #openApi: Recurring;
  #apiService: RemoteApiService;
  #end: ExtensionEnd;
  #entry: VersionEntry;
  #documents: Documents | undefined;
  /** Result of the last availability check. */
  #found: Availability | undefined;

  constructor(apiService: RemoteApiService, parts: ExtensionParts) {
    const { clock } = parts;
    this.#parts = parts;
    this.#apiService = apiService;
    this.#end = this.#endOf(apiService);
    this.#entry = stale(apiService);
    const [checks, lists, documents] = [
      new Backoff({ baseMs: 5, maxMs: resyncMs }),
      new Backoff({ baseMs: 500, maxMs: refreshMs }),
      new Backoff({ baseMs: 1_000, maxMs: 3_600_000 }),
    ];
    this.#status = new Recurring((signal) => this.#check(checks, signal), clock);
    this.#discovery = new Recurring((signal) => this.#list(lists, signal), clock);
    this.#openApi = new Recurring((signal) => this.#read(documents, signal), clock);
  }

  get apiService(): RemoteApiService {
    return this.#apiService;
  }

  /** The entry for this version in the aggregated discovery document. */
  get entry(): VersionEntry {
    return this.#entry;
  }

  get documents(): Documents | undefined {
    return this.#documents;
  }

  /** Checks the extension server and reads its documents until {@link stop} is called. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await Promise.all([this.#status, this.#discovery, this.#openApi].map((each) => each.run(signal)));
    } finally {
      this.stop();
    }
  }

  stop(): void {
    this.#stopping.abort();
    this.#end.close();
  }

  /** Handles a write to the APIService. */
  update(apiService: RemoteApiService): void {
    const old = this.#apiService;
    this.#apiService = apiService;
    const isMoved = !isSameEnd(old, apiService);
    if (isMoved) {
      this.#end.close();
      this.#end = this.#endOf(apiService);
    }
    // a write by this extension itself does not cause another check
    if (isMoved || apiService.condition?.reason !== this.#found?.reason) this.#status.kick();
    if (!isMoved && isAvailable(old) === isAvailable(apiService)) return;
    this.#discovery.kick();
    this.#openApi.kick();
  }

  /** Handles a write to the Service or its endpoints. */
  serviceChanged(): void {
    this.#status.kick();
  }

  /** Forwards a request to the extension server, or responds with 503 if the extension server is unavailable. */
  async serve(request: ApiRequest): Promise<void> {
    const { clock, identity } = this.#parts;
    if (isAvailable(this.#apiService)) await proxyRequest(request, this.#end, { clock, identity });
    else sendPlainText(request, 503, "service unavailable\n");
  }

  #endOf(apiService: RemoteApiService): ExtensionEnd {
    return new ExtensionEnd(apiService, this.#parts.resolveService, this.#parts.proxyCertificate);
  }

  async #check(backoff: Backoff, signal: AbortSignal): Promise<number> {
    const { clock, logger, objects, scope } = this.#parts;
    const checked = this.#apiService;
    try {
      const found = await checkAvailability(checked, this.#end, objects, clock, signal);
      if (signal.aborted) return 0;
      this.#found = found;
      if (isSameEnd(checked, this.#apiService)) {
        const isMeant = (current: unknown): boolean => isSameEnd(readApiService(current as never), checked);
        await writeCondition(scope, checked.name, isMeant, found);
      }
      if (found.reason === "FailedDiscoveryCheck") return backoff.next();
      backoff.reset();
      return resyncMs;
    } catch (err) {
      if (!signal.aborted) logger.error({ err, name: checked.name }, "cannot write the availability of an APIService");
      return backoff.next();
    }
  }

  async #list(backoff: Backoff, signal: AbortSignal): Promise<number> {
    const asked = this.#apiService;
    if (!isAvailable(asked)) {
      this.#show(stale(asked));
      return refreshMs;
    }
    try {
      const entry = await fetchDiscovery(this.#end, asked, this.#parts.clock, signal);
      this.#show({ ...entry, freshness: "Current" });
      backoff.reset();
      return refreshMs;
    } catch (err) {
      if (signal.aborted) return 0;
      this.#parts.logger.debug({ err, name: asked.name }, "cannot read the discovery document of an APIService");
      this.#show(stale(asked));
      return backoff.next();
    }
  }

  async #read(backoff: Backoff, signal: AbortSignal): Promise<number> {
    const asked = this.#apiService;
    if (!isAvailable(asked)) return refreshMs; // the previous documents stay in use
    try {
      const { clock } = this.#parts;
      const documents = await fetchDocuments(this.#end, asked, { clock, signal, known: this.#documents });
      if (documents !== this.#documents) {
        this.#documents = documents;
        this.#parts.changed();
      }
      backoff.reset();
      return refreshMs;
    } catch (err) {
      if (!signal.aborted)
        this.#parts.logger.debug({ err, name: asked.name }, "cannot read the OpenAPI documents of an APIService");
      return backoff.next();
    }
  }

  #show(entry: VersionEntry): void {
    if (JSON.stringify(entry) === JSON.stringify(this.#entry)) return;
    this.#entry = entry;
    this.#parts.changed();
  }
}

const stale = ({ version }: ApiService): VersionEntry => ({ version, freshness: "Stale" });
