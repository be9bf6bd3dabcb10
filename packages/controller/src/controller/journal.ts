import { describedResource } from "@kubewright/apimachinery";
import { aroundWrites, type ReadWriter, type WriteInterceptor } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import type { Cause } from "../reconcile/cause.ts";
import type { ReconcileResult } from "../reconcile/controller-metrics.ts";

/** A write that a reconcile asked for. */
export interface WriteRecord {
  readonly verb: string;
  /** `deployments.apps`, `pods/eviction`. */
  readonly resource: string;
  /** Empty where a whole selection was deleted, or the server makes the name. */
  readonly key: string;
  /** Why it was refused. Absent: it was not, or not yet. */
  readonly error?: string | undefined;
}

/** One reconcile. Times are milliseconds since the epoch. */
export interface ReconcileRecord {
  /** Counted from 0, from the first look at this controller on. */
  readonly number: number;
  readonly key: string;
  readonly causes: readonly Cause[];
  readonly atMs: number;
  readonly tookMs: number;
  readonly result: ReconcileResult;
  readonly error?: string | undefined;
  /** The first {@link mostWrites}. */
  readonly writes: readonly WriteRecord[];
}

/** A key whose last reconcile failed. Times are milliseconds since the epoch. */
export interface FailureRecord {
  readonly error: string;
  /** How often in a row, from the first look on. */
  readonly times: number;
  readonly sinceMs: number;
  readonly lastMs: number;
  /** Of the last failure that had any: what is merely tried again has none of its own. */
  readonly causes: readonly Cause[];
}

/** One that has begun. */
interface Begun {
  readonly causes: readonly Cause[];
  readonly atMs: number;
  readonly writes: WriteRecord[];
}

/** So many reconciles are remembered, so many failing keys, and so many writes of one reconcile. */
const mostReconciles = 500;
const mostFailing = 1_000;
const mostWrites = 20;
const longestError = 1_000;

/** What the reconciles of a controller did of late, for people who look. It is kept from the first look on, and is bounded. */
export class Journal<R> {
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

  end(request: R, result: ReconcileResult, error?: Error): void {
    const begun = this.#begun.get(request);
    this.#begun.delete(request);
    if (error) this.#fail(request, error, begun?.causes ?? []);
    else this.failing.delete(request);
    if (!begun) return; // it began before anybody looked
    const number = this.#number++;
    const { causes, atMs, writes } = begun;
    const tookMs = this.#clock.now() - atMs;
    const text = error ? { error: textOf(error) } : {};
    this.#ring[number % mostReconciles] = {
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

  /** The newest first. */
  *recent(): IterableIterator<ReconcileRecord> {
    for (let number = this.#number - 1; number >= 0 && number >= this.#number - mostReconciles; number--) {
      const record = this.#ring[number % mostReconciles];
      if (record) yield record;
    }
  }

  /** The same client, whose writes are noted with the reconcile that is under way. */
  noting(client: ReadWriter, request: R): ReadWriter {
    const begun = this.#begun.get(request);
    return begun ? aroundWrites(client, notingIn(begun.writes)) : client;
  }

  #fail(request: R, error: Error, own: readonly Cause[]): void {
    const lastMs = this.#clock.now();
    const { times = 0, sinceMs = lastMs, causes = [] } = this.failing.get(request) ?? {};
    this.failing.delete(request); // so that who failed last comes last
    this.failing.set(request, {
      error: textOf(error),
      times: times + 1,
      sinceMs,
      lastMs,
      causes: own.length > 0 ? own : causes,
    });
    if (this.failing.size <= mostFailing) return;
    for (const oldest of this.failing.keys()) return void this.failing.delete(oldest);
  }
}

const notingIn =
  (writes: WriteRecord[]): WriteInterceptor =>
  async (call, next) => {
    const at = writes.length;
    const { plural } = describedResource(call.kind);
    const group = call.kind.group ? `.${call.kind.group}` : "";
    const below = call.subResource === undefined ? "" : `/${call.subResource}`;
    const { namespace = "", name = "" } = call.verb === "deleteCollection" ? {} : call.object.metadata;
    const key = namespace ? `${namespace}/${name}` : name;
    const record = { verb: call.verb, resource: `${plural}${group}${below}`, key };
    if (at < mostWrites) writes[at] = record;
    try {
      return await next(call);
    } catch (error) {
      if (at < mostWrites) writes[at] = { ...record, error: textOf(error) };
      throw error;
    }
  };

/** Requests of one's own types are shown as JSON. */
export function keyText(request: unknown): string {
  if (typeof request === "string") return request.slice(0, longestError);
  try {
    return (JSON.stringify(request) ?? String(request)).slice(0, longestError);
  } catch {
    return errorText(request, longestError); // circular, say, or with a BigInt
  }
}

const textOf = (error: unknown): string => errorText(error).slice(0, longestError);
