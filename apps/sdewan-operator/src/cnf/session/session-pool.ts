import type { DeepReadonly } from "@kubewright/apimachinery";
import { compareResourceVersions } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { type Logger, objectRef, silentLogger } from "@kubewright/log";
import { isOpenWrtNetworkError } from "@kubewright/openwrt";
import { purposeLabel } from "../../api/group.ts";
import type { CnfApi } from "../cnf-api.ts";
import { type CnfEndpoint, type EndpointDefaults, endpointOf } from "../endpoint.ts";
import { lifeOf, restartsOf } from "../pod-state.ts";
import { SecretCache } from "../secret-cache.ts";
import type { Change } from "./change.ts";
import { FairLimiter } from "./fair-limiter.ts";
import type { Effect } from "./gathering.ts";
import { CnfSlowError, Pace } from "./pace.ts";
import { CnfSession, type SessionOptions } from "./session.ts";

export interface SessionPoolOptions {
  readonly reader: Reader;
  readonly connect: (endpoint: CnfEndpoint, pod: DeepReadonly<Pod>) => CnfApi;
  readonly endpoint: EndpointDefaults;
  /** Source of passwords and certificates. Default: the reader. */
  readonly secrets?: SecretCache;
  readonly session?: SessionOptions;
  readonly logger?: Logger;
  /** Called when a container of a pod with a session has restarted. */
  readonly restarted?: (pod: DeepReadonly<Pod>) => Promise<void>;
  /** Decides about each change. Default: changes go to the session of their pod. */
  readonly gate?: ChangeGate | undefined;
  /** Maximum number of CNF pods written to at the same time. Default 32. */
  readonly concurrency?: number;
}

/** The access to a pod that a {@link ChangeGate} has. */
export interface PodAccess {
  readonly pod: DeepReadonly<Pod>;
  readonly session: CnfSession;
  /** Opens a new connection to the CNF. The caller closes it. */
  readonly connect: () => Promise<CnfApi>;
}

/** Determines whether a change is sent to a pod, and when the change is complete. */
export interface ChangeGate {
  submit(access: PodAccess, change: Change): Promise<Effect>;
}

interface Entry {
  readonly life: string;
  readonly restarts: number;
  readonly resourceVersion: string | undefined;
  readonly api: CnfApi;
  readonly session: CnfSession;
  readonly pace: Pace;
  /** Number of callers that are waiting for a response outside batches. */
  running: number;
}

/**
 * Holds a session for each CNF pod. A session is replaced when the container restarts or when the pod's address,
 * password or CA changes.
 */
export class SessionPool {
  readonly #options: SessionPoolOptions;
  readonly #secrets: SecretCache;
  readonly #logger: Logger;
  readonly #limiter: FairLimiter;
  /** Paces by CNF. They are retained after sessions end, because restarting a pod does not make its CNF faster. */
  readonly #paces = new Map<string, Pace>();
  readonly #entries = new Map<string, Entry>();
  #closed: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
    this.#secrets = options.secrets ?? new SecretCache();
    this.#logger = options.logger ?? silentLogger;
    this.#limiter = new FairLimiter(options.concurrency ?? 32);
  }

  /**
   * Returns the session of a pod.
   *
   * @throws {Error} if the pod has no address, or the pool is closed
   */
  async sessionOf(pod: DeepReadonly<Pod>): Promise<CnfSession> {
    return (await this.#entryOf(pod)).session;
  }

  /**
   * Requests a change to a pod.
   *
   * @returns a promise that resolves when the change is complete; see {@link CnfSession.submit}
   * @throws {Error} if the pod has no address, the pool is closed, or the change failed
   */
  async submit(pod: DeepReadonly<Pod>, change: Change): Promise<Effect> {
    const { gate, reader, connect, endpoint } = this.#options;
    const { session } = await this.#entryOf(pod);
    if (!gate) return session.submit(change);
    const connectAgain = async () => connect(await endpointOf(reader, pod, endpoint, this.#secrets), pod);
    return gate.submit({ pod, session, connect: connectAgain }, change);
  }

  /** Returns a pod's REST API, for reads outside batches. */
  async apiOf(pod: DeepReadonly<Pod>): Promise<CnfApi> {
    return (await this.#entryOf(pod)).api;
  }

  /**
   * Sends a request to a pod, unless its CNF is slow and other requests are already waiting for it.
   *
   * @throws {CnfSlowError} if the CNF is slow and other requests are waiting
   */
  async request<T>(pod: DeepReadonly<Pod>, call: (api: CnfApi) => Promise<T>): Promise<T> {
    const entry = await this.#entryOf(pod);
    if (entry.pace.isSlow && entry.running >= maxRequestsWhenSlow) throw new CnfSlowError();
    entry.running++;
    const time = entry.pace.batch();
    time.isOver();
    let failure: unknown;
    try {
      return await call(entry.api);
    } catch (error) {
      if (isOpenWrtNetworkError(error)) failure = error;
      throw error;
    } finally {
      entry.running--;
      time.end(failure);
    }
  }

  async #entryOf(pod: DeepReadonly<Pod>): Promise<Entry> {
    const { reader, connect, endpoint: defaults } = this.#options;
    const endpoint = await endpointOf(reader, pod, defaults, this.#secrets);
    if (this.#closed) throw this.#closed;
    const { uid = "", resourceVersion } = pod.metadata;
    const life = [lifeOf(pod), endpoint.url, endpoint.password, endpoint.ca].join(" ");
    const current = this.#entries.get(uid);
    if (current && (current.life === life || isOlder(resourceVersion, current.resourceVersion))) return current;
    if (current) this.#end(uid, current, "The CNF pod was restarted");
    if (current && restartsOf(pod) > current.restarts) this.#reportRestart(pod);
    const api = connect(endpoint, pod);
    const logger = this.#logger.child({ pod: objectRef(pod) });
    const cnf = cnfOf(pod);
    const pace = this.#paceOf(cnf);
    const session = new CnfSession(api, {
      logger,
      pace,
      limit: (batch) => this.#limiter.run(cnf, () => pace.isSlow, batch),
      ...this.#options.session,
    });
    const entry = { life, restarts: restartsOf(pod), resourceVersion, api, session, pace, running: 0 };
    this.#entries.set(uid, entry);
    return entry;
  }

  /** The current sessions, keyed by pod UID. */
  get sessions(): ReadonlyMap<string, CnfSession> {
    return new Map([...this.#entries].map(([uid, { session }]) => [uid, session]));
  }

  /** Ends the session of a deleted pod. */
  drop(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry) this.#end(uid, entry, "The CNF pod was deleted");
  }

  /** Ends all sessions, and prevents new ones. Unfinished changes are rejected. Never rejects; may be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const reason = new Error("The operator is stopping");
    this.#closed = reason;
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const result of await Promise.allSettled(entries.map(({ session }) => session.close(reason))))
      if (result.status === "rejected") this.#logger.debug({ err: result.reason }, "a session ended with an error");
  }

  #reportRestart(pod: DeepReadonly<Pod>): void {
    this.#options
      .restarted?.(pod)
      .catch((err: unknown) => this.#logger.debug({ err, pod: objectRef(pod) }, "could not report a restart"));
  }

  #paceOf(cnf: string): Pace {
    const pace = this.#paces.get(cnf) ?? new Pace(this.#options.session?.clock ?? systemClock);
    this.#paces.delete(cnf);
    this.#paces.set(cnf, pace);
    const [oldest] = this.#paces.keys();
    if (this.#paces.size > maxPaces && oldest !== undefined) this.#paces.delete(oldest);
    return pace;
  }

  #end(uid: string, { session }: Entry, reason: string): void {
    this.#entries.delete(uid);
    session
      .close(new Error(reason))
      .catch((err: unknown) => this.#logger.debug({ err, uid }, "a CNF's session ended with an error"));
  }
}

/** Maximum number of requests that may wait for a slow CNF at the same time. */
const maxRequestsWhenSlow = 2;
/** Maximum number of CNFs to remember. */
const maxPaces = 4_096;

/** Returns the key by which slots are shared fairly. All pods of a CNF have the same key. */
const cnfOf = ({ metadata }: DeepReadonly<Pod>): string => `${metadata.namespace} ${metadata.labels?.[purposeLabel]}`;

function isOlder(version: string | undefined, than: string | undefined): boolean {
  return version !== undefined && than !== undefined && (compareResourceVersions(version, than) ?? 0) < 0;
}
