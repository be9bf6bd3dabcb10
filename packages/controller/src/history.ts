import { describedResource } from "@kubewright/apimachinery";
import { aroundWrites, type ReadWriter, type WriteInterceptor } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import type { ControllerMetrics } from "./controller-metrics.ts";
import type { Cause } from "./request.ts";

/** One reconcile. Times are milliseconds since the epoch. */
export interface ReconcileRecord {
  /** Sequence number, counted from 0 since the first inspection of the controller. */
  readonly number: number;
  readonly key: string;
  readonly causes: readonly Cause[];
  readonly atMs: number;
  readonly tookMs: number;
  /** Outcome, as in the upstream label `result`. */
  readonly result: keyof ControllerMetrics["reconciles"];
  readonly error?: string | undefined;
  /** The first {@link maxWrites} writes that the reconciler requested. */
  readonly writes: readonly {
    readonly verb: string;
    /** Resource of the write, such as `deployments.apps` or `pods/eviction`. */
    readonly resource: string;
    /** Key of the object. Empty if a selection of objects was deleted or the server generates the name. */
    readonly key: string;
    /** Reason why the write failed. Absent if it succeeded or is still in progress. */
    readonly error?: string | undefined;
  }[];
}

/** A key whose last reconcile failed. Times are milliseconds since the epoch. */
export interface FailureRecord {
  readonly error: string;
  /** Number of consecutive failures since the first inspection. */
  readonly times: number;
  readonly sinceMs: number;
  readonly lastMs: number;
  /** Causes of the latest failed reconcile that had causes. A retry has none. */
  readonly causes: readonly Cause[];
}

/** A reconcile in progress. */
interface Begun {
  readonly causes: readonly Cause[];
  readonly atMs: number;
  readonly writes: ReconcileRecord["writes"][number][];
}

/** Maximum number of recorded reconciles, failing keys, and writes per reconcile. */
const maxReconciles = 500;
const maxFailing = 1_000;
const maxWrites = 20;
const longestError = 1_000;

/** Records a controller's recent reconciles for inspection. Recording begins with the first inspection and is limited in size. */
export class History<R> {
  readonly #clock: Clock;
  readonly #ring: ReconcileRecord[] = [];
  readonly #begun = new Map<R, Begun>();
  readonly failing: Map<R, FailureRecord> = new Map();
  #number = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(request: R, causes: readonly Cause[]): void {
    this.#begun.set(request, { causes, atMs: this.#clock.now(), writes: [] });
  }

  end(request: R, result: ReconcileRecord["result"], error?: Error): void {
    const begun = this.#begun.get(request);
    this.#begun.delete(request);
    if (error) this.#fail(request, error, begun?.causes ?? []);
    else this.failing.delete(request);
    if (!begun) return; // the reconcile began before the first inspection
    const number = this.#number++;
    const { causes, atMs, writes } = begun;
    const tookMs = this.#clock.now() - atMs;
    const text = error ? { error: textOf(error) } : {};
    this.#ring[number % maxReconciles] = {
      number,
      key: keyText(request),
      causes,
      atMs,
      tookMs,
      result,
      writes,
      ...text,
    };
  }

  /** Yields the recorded reconciles, with the newest first. */
  *recent(): IterableIterator<ReconcileRecord> {
    for (let number = this.#number - 1; number >= 0 && number >= this.#number - maxReconciles; number--) {
      const record = this.#ring[number % maxReconciles];
      if (record) yield record;
    }
  }

  /** Returns a client whose writes are recorded with the reconcile in progress. */
  noting(client: ReadWriter, request: R): ReadWriter {
    const begun = this.#begun.get(request);
    return begun ? aroundWrites(client, notingIn(begun.writes)) : client;
  }

  #fail(request: R, error: Error, own: readonly Cause[]): void {
    const lastMs = this.#clock.now();
    const { times = 0, sinceMs = lastMs, causes = [] } = this.failing.get(request) ?? {};
    this.failing.delete(request); // moves the latest failure to the end
    this.failing.set(request, {
      error: textOf(error),
      times: times + 1,
      sinceMs,
      lastMs,
      causes: own.length > 0 ? own : causes,
    });
    if (this.failing.size <= maxFailing) return;
    for (const oldest of this.failing.keys()) return void this.failing.delete(oldest);
  }
}

const notingIn =
  (writes: Begun["writes"]): WriteInterceptor =>
  async (call, next) => {
    const at = writes.length;
    const { plural } = describedResource(call.kind);
    const group = call.kind.group ? `.${call.kind.group}` : "";
    const below = call.subResource === undefined ? "" : `/${call.subResource}`;
    const { namespace = "", name = "" } = call.verb === "deleteCollection" ? {} : call.object.metadata;
    const key = namespace ? `${namespace}/${name}` : name;
    const record = { verb: call.verb, resource: `${plural}${group}${below}`, key };
    if (at < maxWrites) writes[at] = record;
    try {
      return await next(call);
    } catch (error) {
      if (at < maxWrites) writes[at] = { ...record, error: textOf(error) };
      throw error;
    }
  };

/** Returns a request as text. Requests that are not keys are returned as JSON. */
export function keyText(request: unknown): string {
  if (typeof request === "string") return request.slice(0, longestError);
  try {
    return (JSON.stringify(request) ?? String(request)).slice(0, longestError);
  } catch {
    return errorText(request, longestError); // for example circular, or with a BigInt
  }
}

const textOf = (error: unknown): string => errorText(error).slice(0, longestError);
