import { expired, StatusError } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { ApiRequest } from "../../endpoints/request/api-request.ts";
import type { RunningWatch, RunningWatches } from "../../endpoints/scope/running-watches.ts";
import type { ServedResource } from "../../registry/resource.ts";

/** Selects the requests or watches that a fault affects. Absent members match everything. */
export interface FaultTarget {
  readonly group?: string | undefined;
  /** Plural name of the resource. */
  readonly resource?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly verb?: string | undefined;
  /** Name of the subresource; an empty string selects requests for the object itself. */
  readonly subresource?: string | undefined;
  /** Name of the user who sends the request. */
  readonly user?: string | undefined;
}

/** Options for {@link ServerFaults.failNext}: which requests fail, and with which error. */
export interface FailNextOptions extends FaultTarget {
  /** HTTP status of the response. */
  readonly status: number;
  /** Number of requests that fail. Default 1. */
  readonly count?: number | undefined;
  /** Reason of the error. Default: the usual reason for the status, such as `Conflict` for 409; `InternalError` if there is none. */
  readonly reason?: string | undefined;
  /** Message of the error. Default `injected fault: <status>`. */
  readonly message?: string | undefined;
  /** Delay before a retry, in seconds, which is also sent as `Retry-After`. Default: none. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Options for {@link ServerFaults.delay}: which requests are delayed, and for how long. */
export interface DelayOptions extends FaultTarget {
  /** Delay before a request is handled, in milliseconds. */
  readonly ms: number;
  /** Number of requests to delay. Default: all requests, until {@link ServerFaults.clear} is called. */
  readonly count?: number | undefined;
}

interface Rule {
  readonly target: FaultTarget;
  remaining: number;
  readonly delayMs?: number;
  readonly error?: StatusError;
}

/** Injects faults into the server, for tests of controllers. */
export class ServerFaults {
  readonly #watches: RunningWatches;
  readonly #clock: Clock;
  readonly #kindOf: (request: ApiRequest) => string;
  #rules: Rule[] = [];
  #refusing = false;

  constructor(watches: RunningWatches, clock: Clock, kindOf: (request: ApiRequest) => string) {
    this.#watches = watches;
    this.#clock = clock;
    this.#kindOf = kindOf;
  }

  /** Drops the connections of running watches, as a network failure would. Returns the number of these watches. */
  cutWatches(target: FaultTarget = {}): number {
    return this.#eachWatch(target, (watch) => watch.cut());
  }

  /** Ends running watches cleanly, as after their timeout. Returns the number of these watches. */
  endWatches(target: FaultTarget = {}): number {
    return this.#eachWatch(target, (watch) => watch.end());
  }

  /** Sends a 410 to running watches, as if their resource versions had expired. Returns the number of these watches. */
  expireWatches(target: FaultTarget = {}): number {
    const error = expired("too old resource version: the history was compacted");
    return this.#eachWatch(target, (watch) => watch.fail(error));
  }

  /** Makes the next matching requests fail. */
  failNext({ status, count = 1, reason, message, retryAfterSeconds, ...target }: FailNextOptions): void {
    this.#rules.push({
      target,
      remaining: count,
      error: new StatusError({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: message ?? `injected fault: ${status}`,
        reason: reason ?? reasons[status] ?? "InternalError",
        ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
        code: status,
      }),
    });
  }

  /** Delays matching requests. */
  delay({ ms, count = Number.POSITIVE_INFINITY, ...target }: DelayOptions): void {
    this.#rules.push({ target, remaining: count, delayMs: ms });
  }

  /**
   * Makes the server refuse new connections, or accept them again. While it refuses, every new connection is dropped immediately; existing
   * connections remain open.
   */
  refuseConnections(on: boolean): void {
    this.#refusing = on;
  }

  get refusesConnections(): boolean {
    return this.#refusing;
  }

  /** Removes all rules, so that no further requests are affected. */
  clear(): void {
    this.#rules = [];
    this.#refusing = false;
  }

  /** Applies the rules to a request: makes it wait or fail if a rule selects it. @throws {StatusError} the injected error */
  apply(request: ApiRequest): Promise<void> | undefined {
    return this.#rules.length === 0 ? undefined : this.#apply(request);
  }

  async #apply(request: ApiRequest): Promise<void> {
    const rules = this.#rules.filter((rule) => rule.remaining > 0 && this.#matches(rule.target, request));
    for (const rule of rules) {
      if (--rule.remaining <= 0) this.#rules = this.#rules.filter((other) => other !== rule);
      if (rule.delayMs !== undefined) await this.#clock.sleep(rule.delayMs, request.signal);
      request.signal.throwIfAborted();
      if (rule.error) throw rule.error;
    }
  }

  #matches(target: FaultTarget, request: ApiRequest): boolean {
    const { info, user } = request;
    const fits = (wanted: string | undefined, given: string): boolean => wanted === undefined || wanted === given;
    return (
      fits(target.group, info.group) &&
      fits(target.resource, info.resource) &&
      fits(target.namespace, info.namespace) &&
      fits(target.name, info.name) &&
      fits(target.verb, info.verb) &&
      fits(target.subresource, info.subresource) &&
      fits(target.user, user.name) &&
      (target.kind === undefined || this.#kindOf(request) === target.kind)
    );
  }

  #eachWatch(target: FaultTarget, act: (watch: RunningWatch) => void): number {
    const concerns = (resource: ServedResource): boolean =>
      (target.group === undefined || target.group === resource.group) &&
      (target.resource === undefined || target.resource === resource.resource) &&
      (target.kind === undefined || target.kind === resource.kind);
    let count = 0;
    for (const watch of this.#watches.of(concerns)) {
      act(watch);
      count++;
    }
    return count;
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};
