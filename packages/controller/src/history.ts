import { compareResourceVersions, describedResource, type KubeObject } from "@kubewright/apimachinery";
import { aroundWrites, type ReadWriter, type WriteInterceptor } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { errorText, type Logger } from "@kubewright/log";
import { Allowance, ChangeLog, type ObjectChanges } from "./changes.ts";
import type { ControllerMetrics } from "./controller-metrics.ts";
import { isTerminalError } from "./errors.ts";
import type { ObjectEvent } from "./event.ts";
import type { Cause } from "./request.ts";

/** One reconcile. Times are milliseconds since the epoch. */
export interface ReconcileRecord {
  /** Sequence number, counted from 0 since the first inspection of the controller. */
  readonly number: number;
  readonly key: string;
  readonly causes: readonly RecordedCause[];
  readonly atMs: number;
  readonly tookMs: number;
  /** ID that appears in the reconcile's log lines. Absent if the reconcile wrote no lines and did not use its ID. */
  readonly reconcileID?: string | undefined;
  /** ID of the trace, if the program traces reconciles. */
  readonly traceID?: string | undefined;
  /** The first {@link maxLines} log lines of the reconcile, from level `info`, whether or not the logger wrote them. */
  readonly lines: readonly { readonly level: string; readonly text: string }[];
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

/** A cause and, if known, what the update changed. */
export interface RecordedCause extends Cause {
  readonly changes?: ObjectChanges | undefined;
}

/** A key whose last reconcile failed. Times are milliseconds since the epoch. */
export interface FailureRecord {
  readonly error: string;
  /** Number of consecutive failures since the first inspection. */
  readonly times: number;
  readonly sinceMs: number;
  readonly lastMs: number;
  /** True if the error was a `TerminalError`, so that the key is not retried until something changes. */
  readonly isTerminal: boolean;
  /** Causes of the most recent failed reconcile that had causes. (Retries have none.) */
  readonly causes: readonly Cause[];
}

/** The most recent reconcile and the most recent rejected event of a key. Times are milliseconds since the epoch. */
export interface KeyRecord {
  /** End of the last reconcile. `resourceVersion` is the newest version of the object that caused a reconcile of the key. */
  readonly last?:
    | {
        readonly atMs: number;
        readonly result: ReconcileRecord["result"];
        readonly resourceVersion?: string | undefined;
      }
    | undefined;
  /** The object's last event, if a predicate rejected it. Absent if a later event was accepted. */
  readonly dropped?:
    | { readonly atMs: number; readonly predicate: string; readonly resourceVersion?: string | undefined }
    | undefined;
  /**
   * True if records of some keys' last reconciles have been dropped. This key may then have been reconciled although
   * `last` is absent.
   */
  readonly isIncomplete?: boolean | undefined;
}

/** A reconcile that has ended. */
export interface EndedReconcile<R> {
  readonly request: R;
  readonly causes: readonly Cause[];
  readonly tookMs: number;
  readonly reconcileID: string | undefined;
  readonly traceID: string | undefined;
  readonly notes: ReconcileNotes | undefined;
}

/** Maximum number of recorded reconciles, failing keys, known keys, followed keys, writes per reconcile, and lines per reconcile. */
const maxReconciles = 500;
const maxFailing = 1_000;
const maxKeys = 10_000;
const maxFollowed = 16;
const maxWrites = 20;
const maxLines = 20;
const longestError = 1_000;
const longestLine = 300;
/** Time for which all reconciles of a key are recorded after an inspection of the key. */
const followedMs = 60_000;

/**
 * Records a controller's recent reconciles for inspection. Recording begins with the first inspection and is limited in size.
 *
 * A busy controller reconciles thousands of times per second; keeping a record of each reconcile would burden the
 * garbage collector. Therefore, only 50 reconciles per second are recorded, plus all failed ones and all reconciles of
 * keys that were inspected within the last minute. The last result of each key is stored in reused arrays.
 */
export class History<R> {
  readonly #clock: Clock;
  readonly #mainSource: string | undefined;
  readonly #ring: ReconcileRecord[] = [];
  readonly #allowance = new Allowance(50, maxReconciles);
  readonly #followed = new Map<unknown, number>();
  readonly #last = new KeySlots<ReconcileRecord["result"]>();
  readonly #dropped = new KeySlots<string>();
  readonly #changes = new ChangeLog();
  readonly #durations = new Durations();
  readonly failing: Map<R, FailureRecord> = new Map();
  #number = 0;

  /** @param mainSource source that delivers the events of the reconciled objects, such as `Deployment.apps` */
  constructor(clock: Clock, mainSource?: string) {
    this.#clock = clock;
    this.#mainSource = mainSource;
  }

  /** 99th percentile of the reconcile durations in milliseconds, rounded up by at most a fifth. Undefined for fewer than 20 reconciles. */
  get p99Ms(): number | undefined {
    return this.#durations.p99Ms;
  }

  /**
   * Creates the notes for a reconcile when it first uses its client or logger. Returns undefined if the reconcile will probably not be
   * recorded in full.
   */
  notes(request: R): ReconcileNotes | undefined {
    const isWanted = this.failing.has(request) || this.#isFollowed(request);
    return isWanted || this.#allowance.allows(this.#clock.monotonic()) ? new ReconcileNotes() : undefined;
  }

  end(ended: EndedReconcile<R>, result: ReconcileRecord["result"], error?: Error): void {
    const { request, causes, tookMs, reconcileID, traceID, notes } = ended;
    const now = this.#clock.now();
    if (error) this.#fail(request, error, causes, now);
    else this.failing.delete(request);
    this.#durations.add(tookMs);
    this.#last.set(request, result, now, this.#versionIn(causes, request));
    if (!error && !this.#isFollowed(request) && !this.#allowance.take(this.#clock.monotonic())) return;
    const number = this.#number++;
    this.#ring[number % maxReconciles] = {
      number,
      key: keyText(request),
      causes,
      atMs: now - tookMs,
      tookMs,
      result,
      writes: notes?.writes ?? [],
      lines: notes?.lines.slice() ?? [],
      ...(error ? { error: textOf(error) } : {}),
      ...(reconcileID === undefined ? {} : { reconcileID }),
      ...(traceID === undefined ? {} : { traceID }),
    };
  }

  /** Records that a predicate rejected an event. */
  noteDropped(source: string, key: string, resourceVersion: string | undefined, predicate: string): void {
    if (source === this.#mainSource) this.#dropped.set(key, predicate, this.#clock.now(), resourceVersion);
  }

  /** Records that the predicates accepted an event. */
  noteAccepted<T extends KubeObject>(source: string, key: string, version: string, event: ObjectEvent<T>): void {
    if (source === this.#mainSource) this.#dropped.delete(key);
    this.#changes.note(event, source, key, version, this.#clock.monotonic());
  }

  /** Yields the recorded reconciles, newest first. */
  *recent(): IterableIterator<ReconcileRecord> {
    for (let number = this.#number - 1; number >= 0 && number >= this.#number - maxReconciles; number--) {
      const record = this.#ring[number % maxReconciles];
      if (record) yield record;
    }
  }

  /** Returns the recorded history of a key. For a minute from now, all reconciles of the key are recorded. */
  of(key: string): KeyRecord {
    this.#followed.delete(key);
    this.#followed.set(key, this.#clock.monotonic() + followedMs);
    for (const oldest of this.#followed.keys()) if (this.#followed.size > maxFollowed) this.#followed.delete(oldest);
    const [last, dropped] = [this.#last.find(key), this.#dropped.find(key)];
    return {
      ...(!last && this.#last.hasForgotten ? { isIncomplete: true } : {}),
      ...(last ? { last: { atMs: last.atMs, result: last.value, ...versionOf(last) } } : {}),
      ...(dropped ? { dropped: { atMs: dropped.atMs, predicate: dropped.value, ...versionOf(dropped) } } : {}),
    };
  }

  /** Adds known changes to causes. */
  withChanges(causes: readonly Cause[]): readonly RecordedCause[] {
    return causes.map((cause) => {
      const changes = this.#changes.find(cause.source, cause.key, cause.resourceVersion);
      return changes ? { ...cause, changes } : cause;
    });
  }

  #isFollowed(request: R): boolean {
    if (this.#followed.size === 0) return false;
    const untilMs = this.#followed.get(request);
    return untilMs !== undefined && untilMs > this.#clock.monotonic();
  }

  #versionIn(causes: readonly Cause[], request: R): string | undefined {
    let newest: string | undefined;
    for (const { source, key, resourceVersion } of causes) {
      if (resourceVersion === undefined || source !== this.#mainSource || key !== request) continue;
      if (newest === undefined || (compareResourceVersions(resourceVersion, newest) ?? 1) > 0) newest = resourceVersion;
    }
    return newest;
  }

  #fail(request: R, error: Error, own: readonly Cause[], lastMs: number): void {
    const { times = 0, sinceMs = lastMs, causes = [] } = this.failing.get(request) ?? {};
    this.failing.delete(request); // moves the latest failure to the end
    this.failing.set(request, {
      error: textOf(error),
      times: times + 1,
      sinceMs,
      lastMs,
      isTerminal: isTerminalError(error),
      causes: own.length > 0 ? own : causes,
    });
    if (this.failing.size <= maxFailing) return;
    for (const oldest of this.failing.keys()) return void this.failing.delete(oldest);
  }
}

const versionOf = ({ version }: { readonly version: string | undefined }) =>
  version === undefined ? {} : { resourceVersion: version };

/** The latest entry of each key, in arrays that are reused. Once there are {@link maxKeys}, a new key replaces the oldest. */
class KeySlots<V> {
  readonly #slots = new Map<unknown, number>();
  readonly #keys: unknown[] = [];
  readonly #values: V[] = [];
  readonly #times: number[] = [];
  readonly #versions: (string | undefined)[] = [];
  #next = 0;
  /** True if a new key has replaced another one. */
  hasForgotten = false;

  /** @param version if undefined, the previous version of the key is retained */
  set(key: unknown, value: V, atMs: number, version: string | undefined): void {
    const known = this.#slots.get(key);
    const slot = known ?? this.#newSlot(key);
    this.#values[slot] = value;
    this.#times[slot] = atMs;
    if (version !== undefined || known === undefined) this.#versions[slot] = version;
  }

  delete(key: unknown): void {
    if (this.#slots.size > 0) this.#slots.delete(key); // the slot is reused in its turn
  }

  find(key: unknown): { readonly value: V; readonly atMs: number; readonly version: string | undefined } | undefined {
    const slot = this.#slots.get(key);
    const [value, atMs] = slot === undefined ? [] : [this.#values[slot], this.#times[slot]];
    if (slot === undefined || value === undefined || atMs === undefined) return undefined;
    return { value, atMs, version: this.#versions[slot] };
  }

  #newSlot(key: unknown): number {
    const slot = this.#next;
    this.#next = (this.#next + 1) % maxKeys;
    const oldest = this.#keys[slot];
    if (this.#slots.get(oldest) === slot) this.hasForgotten = this.#slots.delete(oldest);
    this.#keys[slot] = key;
    this.#slots.set(key, slot);
    return slot;
  }
}

/** Number of buckets per doubling of the duration, and in total. */
const perDoubling = 4;
const maxBuckets = 128;
/** Number of durations after which all counts are halved, so that recent reconciles count more. */
const halvedAt = 5_000;
const leastForPercentile = 20;

/** A histogram of durations with exponential buckets. */
class Durations {
  readonly #counts = new Uint32Array(maxBuckets);
  #total = 0;

  add(ms: number): void {
    const bucket = Math.min(maxBuckets - 1, Math.ceil(Math.log2(Math.max(ms, 0) + 1) * perDoubling));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    if (++this.#total < halvedAt) return;
    this.#total = 0;
    for (const [at, count] of this.#counts.entries()) {
      this.#counts[at] = count >>> 1;
      this.#total += count >>> 1;
    }
  }

  get p99Ms(): number | undefined {
    if (this.#total < leastForPercentile) return undefined;
    let left = this.#total * 0.01;
    for (let bucket = maxBuckets - 1; bucket > 0; bucket--) {
      left -= this.#counts[bucket] ?? 0;
      if (left < 0) return 2 ** (bucket / perDoubling) - 1;
    }
    return 0;
  }
}

/** The writes made and the lines logged by a reconcile in progress. */
export class ReconcileNotes {
  readonly writes: ReconcileRecord["writes"][number][] = [];
  readonly lines: ReconcileRecord["lines"][number][] = [];

  /** Returns a client whose writes are recorded. */
  client(client: ReadWriter): ReadWriter {
    return aroundWrites(client, notingIn(this.writes));
  }

  /** Returns a logger whose lines are recorded, including those of its children. */
  logger(logger: Logger): Logger {
    return new Proxy(logger, {
      get: (target, name) => {
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== "function") return own;
        if (name === "child")
          return (...args: Parameters<typeof target.child<never>>) => this.logger(target.child<never>(...args));
        if (!recordedLevels.has(name)) return own;
        return (...args: readonly unknown[]) => {
          this.#note(String(name), args);
          return Reflect.apply(own, target, args);
        };
      },
    });
  }

  #note(level: string, [first, second]: readonly unknown[]): void {
    if (this.lines.length >= maxLines) return;
    const message = typeof first === "string" ? first : typeof second === "string" ? second : "";
    const thrown = first instanceof Error ? first : isRecord(first) && first.err;
    const error = thrown ? errorText(thrown) : "";
    const text = [message, error].filter(Boolean).join(": ");
    this.lines.push({ level, text: beginningOf(text, longestLine) });
  }
}

const recordedLevels: ReadonlySet<string | symbol> = new Set(["info", "warn", "error", "fatal"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const notingIn =
  (writes: ReconcileRecord["writes"][number][]): WriteInterceptor =>
  async (call, next) => {
    const at = writes.length;
    const { plural } = describedResource(call.kind);
    const group = call.kind.group ? `.${call.kind.group}` : "";
    const below = call.subResource === undefined ? "" : `/${call.subResource}`;
    const { namespace = "", name = "" } = call.verb === "deleteCollection" ? {} : call.object.metadata;
    const key = beginningOf(namespace ? `${namespace}/${name}` : name, longestError);
    const record = { verb: call.verb, resource: `${plural}${group}${below}`, key };
    if (at < maxWrites) writes[at] = record;
    try {
      return await next(call);
    } catch (error) {
      if (at < maxWrites) writes[at] = { ...record, error: textOf(error) };
      throw error;
    }
  };

/** Formats a request as text: as a key if it is one, as JSON otherwise. */
export function keyText(request: unknown): string {
  if (typeof request === "string") return beginningOf(request, longestError);
  try {
    return beginningOf(JSON.stringify(request) ?? String(request), longestError);
  } catch {
    return errorText(request, longestError); // for example circular, or with a BigInt
  }
}

const textOf = (error: unknown): string => beginningOf(errorText(error), longestError);

/**
 * Returns the beginning of a string. An incomplete host is removed, because it may be a user and password before the `@`. The result is a
 * copy, because a slice would keep the whole text in memory.
 */
function beginningOf(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return structuredClone(text.slice(0, longest).replace(/:\/\/[^\s/@]*$/, "://"));
}
