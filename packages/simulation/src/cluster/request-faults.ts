import {
  type ApiCall,
  bodyOf,
  callText,
  type Handle,
  type InProcessRequest,
  type InProcessResponse,
  isWrite,
  jsonResponse,
  resourceText,
} from "./api-call.ts";

/** The ways in which a request can fail, either in the API server or in the network. */
export const failures = [
  "conflict",
  "tooManyRequests",
  "internalError",
  "unavailable",
  "timeout",
  "connectionLost",
  "refusedByAdmission",
  "expiredToken",
] as const;
type FailureName = (typeof failures)[number];

const statuses: Readonly<Record<FailureName, { code: number; reason: string; message: string } | undefined>> = {
  conflict: {
    code: 409,
    reason: "Conflict",
    message: "the object has been modified; please apply your changes to the latest version",
  },
  tooManyRequests: { code: 429, reason: "TooManyRequests", message: "the server has received too many requests" },
  internalError: { code: 500, reason: "InternalError", message: "an error on the server: etcdserver: leader changed" },
  unavailable: {
    code: 503,
    reason: "ServiceUnavailable",
    message: "the server is currently unable to handle the request",
  },
  timeout: { code: 504, reason: "Timeout", message: "the server was unable to return a response in the time allotted" },
  refusedByAdmission: {
    code: 403,
    reason: "Forbidden",
    message: 'admission webhook "policy.simulation.kubewright.dev" denied the request: try again later',
  },
  expiredToken: { code: 401, reason: "Unauthorized", message: "Unauthorized" },
  connectionLost: undefined,
};

/** A failure to inject into the next requests. */
export interface ArmedFailure {
  readonly failure: FailureName;
  /** True if the server processes the request, and only its response is lost. */
  readonly afterEffect: boolean;
  /** True to fail writes only. */
  readonly writesOnly: boolean;
  /** Number of requests that will still fail. */
  left: number;
}

/** An outdated view of one resource, or of all resources. */
interface Lag {
  /** Resource such as `deployments.apps`; undefined for all. */
  readonly resource: string | undefined;
  /** Version that a read returns if it accepts an old version. */
  readonly version: number;
  /**
   * True for an API server that does not support streaming lists, as before Kubernetes 1.34. A streaming list is never
   * outdated.
   */
  readonly isOldServer: boolean;
  readonly over: Promise<void>;
  readonly end: EndLag;
}

/**
 * Ends a lag. It has no effect if the lag has already ended.
 *
 * @param relist true if the program never receives the changes that were held back: its watches break, and it must list
 * the objects again
 */
type EndLag = (relist?: boolean) => void;

/** A watch in progress. */
interface Tap {
  readonly resource: string;
  readonly cut: (goneAfterwards: boolean) => void;
}

/** Kills a process. @param write name of the write at which it is killed */
type KillProcess = (write: string) => void;

/** Reports whether a write is only for reporting or leader election, so that no controller acts on it. */
export const isPassing = ({ resource }: ApiCall): boolean => resource === "events" || resource === "leases";

/**
 * Returns the path that makes the API server answer a list like a server whose cache lags behind: at the version of
 * that cache, if the list accepts it. Lists without a version, pages of a list, and lists at an exact version are
 * consistent on every API server.
 *
 * @returns undefined if the response must be current
 */
function oldListPath(path: string, cacheVersion: number): string | undefined {
  const [route = "", text = ""] = path.split("?");
  const query = new URLSearchParams(text);
  const [least, match] = [query.get("resourceVersion"), query.get("resourceVersionMatch")];
  if (cacheVersion === 0 || !least || query.has("continue") || match === "Exact") return undefined;
  // @see apiserver pkg/storage/cacher delegate.go shouldDelegateList
  if (least !== "0" && match === null && query.has("limit")) return undefined;
  query.set("resourceVersion", String(Math.max(Number(least), cacheVersion)));
  query.set("resourceVersionMatch", "Exact");
  return `${route}?${query}`;
}

/** Reports whether a request can fail in a way. The version of an object conflicts only if the object exists. */
const canFail = (call: ApiCall, { failure, writesOnly }: ArmedFailure): boolean =>
  failure === "conflict" ? call.verb === "update" || call.verb === "patch" : !writesOnly || isWrite(call);

/** Faults between one process of the program and the API server. */
export class RequestFaults {
  readonly #pause: (ms: number) => Promise<void>;
  readonly #note: (text: string) => void;
  readonly #timeoutMs: number;
  readonly #armed: ArmedFailure[] = [];
  readonly #lags = new Set<Lag>();
  readonly #taps = new Set<Tap>();
  /** Resources whose next watch fails with 410, so that the program must list them again. */
  readonly #gone = new Set<string>();
  /** The write before or after which the process is killed. */
  #kill:
    | { readonly isAt: (write: string) => boolean; readonly when: "before" | "after"; readonly kill: KillProcess }
    | undefined;

  /**
   * @param pause waits, in milliseconds
   * @param note called with a description of each fault that occurs @param timeoutMs duration of a request that times out, in milliseconds.
   * Default 30,000
   */
  constructor({
    pause,
    note,
    timeoutMs = 30_000,
  }: {
    readonly pause: (ms: number) => Promise<void>;
    readonly note: (text: string) => void;
    readonly timeoutMs?: number | undefined;
  }) {
    this.#pause = pause;
    this.#note = note;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Kills the process before or after a write.
   *
   * @param isAt receives the name of each write, and returns true for the one at which the process is killed
   */
  killAt(isAt: (write: string) => boolean, when: "before" | "after", kill: KillProcess): void {
    this.#kill = { isAt, when, kill };
  }

  arm(failure: Omit<ArmedFailure, "left">, count: number): void {
    this.#armed.push({ ...failure, left: count });
  }

  /**
   * Delays the events of a resource's watches until the returned function is called, and returns the given version for lists that accept an
   * old version.
   *
   * @param isOldServer true to reject streaming lists, so that the program sends lists that accept an old version
   */
  lag(resource: string | undefined, version: number, { isOldServer = false } = {}): EndLag {
    const { promise, resolve } = Promise.withResolvers<void>();
    const lag: Lag = {
      resource,
      version,
      isOldServer,
      over: promise,
      end: (relist = false) => {
        if (!this.#lags.delete(lag)) return;
        if (relist) this.cut(resource, true);
        resolve();
      },
    };
    this.#lags.add(lag);
    return lag.end;
  }

  /** Breaks a resource's watches. @param relist true if the version from which the program would resume is no longer available */
  cut(resource: string | undefined, relist: boolean): void {
    for (const tap of [...this.#taps]) if (resource === undefined || tap.resource === resource) tap.cut(relist);
  }

  /** Ends all faults. */
  heal(): void {
    this.#armed.length = 0;
    this.#kill = undefined;
    this.#gone.clear();
    for (const lag of [...this.#lags]) lag.end();
  }

  /**
   * Returns a function that handles a request with the faults that apply to it.
   *
   * @param write name of the write, for {@link RequestFaults.killAt}. Default: empty
   */
  handlerFor(call: ApiCall | undefined, handle: Handle, write = ""): Handle | undefined {
    if (!call) return undefined;
    if (call.verb === "watch") return (request) => this.#watch(request, call, handle);
    if (!isWrite(call)) return (request) => this.#read(request, call, handle);
    return (request) => this.#write(request, call, handle, write);
  }

  async #write(request: InProcessRequest, call: ApiCall, handle: Handle, write: string): Promise<InProcessResponse> {
    const kill = isPassing(call) ? undefined : this.#kill;
    if (kill?.isAt(write)) {
      this.#kill = undefined;
      if (kill.when === "before") {
        this.#note(`killed before it could ${callText(call)}`);
        kill.kill(write);
        return new Promise(() => {});
      }
      const response = await handle(request);
      this.#note(`killed after ${callText(call)} → ${response.status}`);
      kill.kill(write);
      return response;
    }
    return this.#mayFail(request, call, handle);
  }

  async #read(request: InProcessRequest, call: ApiCall, handle: Handle): Promise<InProcessResponse> {
    const path = call.verb === "list" ? oldListPath(request.path, this.#lagOf(call)?.version ?? 0) : undefined;
    return path === undefined ? this.#mayFail(request, call, handle) : handle({ ...request, path });
  }

  async #mayFail(request: InProcessRequest, call: ApiCall, handle: Handle): Promise<InProcessResponse> {
    const armed = this.#armed.find((each) => each.left > 0 && canFail(call, each));
    if (!armed) return handle(request);
    armed.left--;
    const { failure, afterEffect } = armed;
    if (afterEffect) await bodyOf(await handle(request));
    this.#note(`${callText(call)} fails with ${failure}${afterEffect && isWrite(call) ? " after it took effect" : ""}`);
    const status = statuses[failure];
    if (!status) throw Object.assign(new Error("the simulation dropped the connection"), { code: "ECONNRESET" });
    if (failure === "timeout") await this.#pause(this.#timeoutMs);
    const { code, reason, message } = status;
    const body = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code, reason, message };
    const retryAfter = code === 429 || code === 503 ? { "retry-after": "1" } : {};
    return jsonResponse(code, body, retryAfter);
  }

  async #watch(request: InProcessRequest, call: ApiCall, handle: Handle): Promise<InProcessResponse> {
    const resource = resourceText(call);
    if (this.#gone.delete(resource) && !/[?&]sendInitialEvents=true/.test(request.path)) {
      this.#note(`the watch on ${resource} continues from a version that is too old (410)`);
      const message = "too old resource version";
      const body = {
        apiVersion: "v1",
        kind: "Status",
        metadata: {},
        status: "Failure",
        code: 410,
        reason: "Expired",
        message,
      };
      return jsonResponse(410, body);
    }
    if (this.#lagOf(call)?.isOldServer && /[?&]sendInitialEvents=true/.test(request.path)) {
      const message = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
      const body = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure" };
      return jsonResponse(422, { ...body, code: 422, reason: "Invalid", message });
    }
    const response = await handle(request);
    return response.status === 200 ? { ...response, body: this.#tapped(response.body, call) } : response;
  }

  #tapped(body: AsyncIterable<Uint8Array>, call: ApiCall): AsyncIterable<Uint8Array> {
    const resource = resourceText(call);
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {});
    const tap: Tap = {
      resource,
      cut: (relist) => {
        this.#taps.delete(tap);
        if (relist) this.#gone.add(resource);
        broken.reject(Object.assign(new Error("the simulation dropped the connection"), { code: "ECONNRESET" }));
      },
    };
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = body[Symbol.asyncIterator]();
        this.#taps.add(tap);
        const end = async (): Promise<void> => {
          this.#taps.delete(tap);
          await iterator.return?.();
        };
        return {
          next: async () => {
            try {
              const result = await Promise.race([iterator.next(), broken.promise]);
              for (let lag = this.#lagOf(call); lag; lag = this.#lagOf(call))
                await Promise.race([lag.over, broken.promise]);
              if (result.done) this.#taps.delete(tap);
              return result;
            } catch (error) {
              await end();
              throw error;
            }
          },
          return: async () => {
            await end();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  #lagOf(call: ApiCall): Lag | undefined {
    const resource = resourceText(call);
    for (const lag of this.#lags) if (lag.resource === undefined || lag.resource === resource) return lag;
    return undefined;
  }
}
