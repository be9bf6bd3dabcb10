import type { KubeObject } from "@kubewright/apimachinery";
import { Backoff, type Clock, EventLoopShare, type Timer } from "@kubewright/clock";
import { endsWithin } from "./deadline.ts";
import { thrownError } from "./errors.ts";
import { isThenable, type ObjectEvent, objectsOf } from "./event.ts";
import { type Enqueue, type EventHandler, lowPriority } from "./handlers.ts";
import type { Predicate } from "./predicates.ts";
import type { SourceContext } from "./source.ts";

/** Maximum time for which later events wait for a slow handler. It is shorter if several handlers are slow. */
const linePatienceMs = 1_000;
/** Maximum time that a source waits for slow handlers before it counts as synced, and that a handler may take without a warning. */
const syncPatienceMs = 10_000;

/** Reason why an event was not handled. */
interface Failure {
  /** Name of the failed handler or predicate, such as `handler mapSecrets`. */
  readonly by: string;
  readonly err: Error;
}

type Outcome = Failure | undefined | Promise<Failure | undefined>;

/**
 * Passes events one by one through predicates and a handler, which adds requests to the queue. A failed or slow event
 * does not block the others: if a handler fails, a warning is logged and the event is retried a few times; if a handler
 * takes longer than {@link linePatienceMs}, it continues in the background. Events for the same object are handled in
 * order unless a handler exceeds this limit.
 */
export class EventPipe<T extends KubeObject, R> {
  readonly #source: string;
  readonly #predicates: readonly Predicate<T>[];
  readonly #handler: EventHandler<T, R>;
  readonly #context: Omit<SourceContext<R>, "synced">;
  readonly #signal: AbortSignal;
  readonly #retries: EventRetries<T>;
  readonly #share: EventLoopShare;
  /** Event handling in progress, for which later events wait. */
  #line: Promise<void> | undefined;
  /** Event handling in progress that later events no longer wait for, because it is slow. */
  readonly #slow = new Set<Promise<void>>();

  constructor(
    source: string,
    options: { readonly predicates: readonly Predicate<T>[]; readonly handler: EventHandler<T, R> },
    context: Omit<SourceContext<R>, "synced">,
    signal: AbortSignal,
  ) {
    this.#source = source;
    this.#predicates = options.predicates;
    this.#handler = options.handler;
    this.#context = context;
    this.#signal = signal;
    const { clock, log } = context;
    this.#share = EventLoopShare.of(clock);
    this.#retries = new EventRetries({
      clock,
      signal,
      handle: (event) => this.#handle(event),
      onDropped: (event, { by, err }) =>
        log.error({ err, ...this.#named(event), by }, "event handler failed repeatedly; the event is dropped"),
    });
  }

  /** True while predicates and handlers are processing events. Failed events that are waiting for a retry do not count. */
  get isHandling(): boolean {
    return this.#line !== undefined || this.#slow.size > 0;
  }

  /**
   * Handles an event, or queues it. Resolves when the next event may be pushed, or returns `undefined` if it may be pushed immediately.
   * Never rejects.
   */
  push(event: ObjectEvent<T>): Promise<void> | undefined {
    if (this.#signal.aborted) return undefined;
    const taking = this.#line ? this.#line.then(() => this.#take(event)) : this.#take(event);
    if (taking) this.#follow(taking);
    return taking;
  }

  /**
   * Resolves when all events pushed so far have been handled once, successfully or not. Waits for slow handlers only
   * for a limited time.
   */
  async settled(): Promise<void> {
    while (this.#line) await this.#line;
    if (this.#slow.size > 0)
      await endsWithin(this.#context.clock, syncPatienceMs, Promise.all(this.#slow), this.#signal);
  }

  /** Resolves when all events pushed so far have been handled or dropped, or the signal aborts. */
  async drained(): Promise<void> {
    const { clock } = this.#context;
    while (!this.#signal.aborted && (this.isHandling || this.#retries.size > 0))
      await clock.sleep(linePatienceMs, this.#signal);
  }

  #follow(work: Promise<void>): void {
    const line: Promise<void> = work.then(() => {
      if (this.#line === line) this.#line = undefined;
    });
    this.#line = line;
  }

  #take(event: ObjectEvent<T>): Promise<void> | undefined {
    if (this.#signal.aborted) return undefined;
    const earlier = this.#retries.size > 0 ? this.#retries.makeWay(event) : undefined;
    if (earlier) return this.#waitFor(earlier, event).then(() => this.#handleFirst(event));
    return this.#handleFirst(event);
  }

  #handleFirst(event: ObjectEvent<T>): Promise<void> | undefined {
    const outcome = this.#handle(event);
    if (outcome instanceof Promise)
      return this.#waitFor(
        outcome.then((failure) => this.#note(event, failure)),
        event,
      );
    this.#note(event, outcome);
    return this.#share.isUsedUp() ? this.#share.nextTurn() : undefined;
  }

  #note(event: ObjectEvent<T>, failure: Failure | undefined): void {
    if (!failure || this.#signal.aborted) return;
    const { by, err } = failure;
    this.#context.log.warn({ err, ...this.#named(event), by }, "event handler failed; it will be retried");
    this.#retries.add(event);
  }

  /** Waits for handling in progress, for a limited time. */
  async #waitFor(handling: Promise<void>, event: ObjectEvent<T>): Promise<void> {
    const { clock, log } = this.#context;
    const patienceMs = linePatienceMs / (1 + this.#slow.size);
    if (await endsWithin(clock, patienceMs, handling, this.#signal)) {
      if (this.#share.isUsedUp()) await this.#share.nextTurn();
      return;
    }
    if (this.#signal.aborted) return;
    const slow = handling.then(() => void this.#slow.delete(slow));
    this.#slow.add(slow);
    void endsWithin(clock, syncPatienceMs, slow, this.#signal).then((hasEnded) => {
      if (hasEnded || this.#signal.aborted) return;
      const by = `handler ${nameOfFunction(this.#handler)}`;
      log.warn({ ...this.#named(event), by }, "event handler has not finished; later events continue without it");
    });
  }

  /** Evaluates the predicates and calls the handler. Neither throws nor rejects. */
  #handle(event: ObjectEvent<T>): Outcome {
    let by = "";
    if (!event.object && objectsOf(event).length === 0) {
      const line = { ...this.#named(event), by: `handler ${nameOfFunction(this.#handler)}` };
      this.#context.log.warn(
        line,
        "ignored an event without an object; its source must include an object in every event",
      );
      return undefined;
    }
    try {
      for (const predicate of this.#predicates) {
        by = `predicate ${nameOfFunction(predicate)}`;
        if (predicate(event)) continue;
        this.#noteDropped(event, predicate);
        return undefined;
      }
      by = `handler ${nameOfFunction(this.#handler)}`;
      const handling: unknown = this.#ask(event);
      if (handling === undefined || !isThenable(handling)) return undefined;
      return Promise.resolve(handling).then(
        () => undefined,
        (thrown: unknown) => ({ by, err: thrownError(thrown) }),
      );
    } catch (thrown) {
      return { by, err: thrownError(thrown) };
    }
  }

  #noteDropped(event: ObjectEvent<T>, predicate: Predicate<T>): void {
    const history = this.#context.history?.();
    const { key } = history ? namesOf(event) : {};
    if (history && key !== undefined)
      history.noteDropped(this.#source, key, resourceVersionOf(event.object), nameOfFunction(predicate));
  }

  #ask(event: ObjectEvent<T>): void | Promise<void> {
    const { queue, client, log, mapper } = this.#context;
    const cause = {
      source: this.#source,
      type: event.type,
      key: namesOf(event).key ?? "",
      resourceVersion: resourceVersionOf(event.object),
    };
    this.#context.history?.()?.noteAccepted(cause.source, cause.key, cause.resourceVersion ?? "", event);
    const usual = isChange(event) ? 0 : lowPriority;
    const enqueue: Enqueue<R> = (request, options) =>
      queue.add(request, { ...options, priority: options?.priority ?? usual, cause });
    return this.#handler(event, enqueue, {
      client,
      log,
      signal: this.#signal,
      mapper,
    });
  }

  /** Returns the fields that identify an event in log lines. */
  #named(event: ObjectEvent<T>): object {
    const { kind = this.#source, key = "(no name)" } = namesOf(event);
    return { source: this.#source, event: event.type, kind, object: key };
  }
}

/** Maximum number of times that an event is handled. */
const maxTries = 6;

interface EventRetriesOptions<T extends KubeObject> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Handles an event. Neither throws nor rejects. */
  readonly handle: (event: ObjectEvent<T>) => Outcome;
  /** Called when an event is dropped. */
  readonly onDropped: (event: ObjectEvent<T>, failure: Failure) => void;
}

interface Retry<T extends KubeObject> {
  readonly event: ObjectEvent<T>;
  readonly backoff: Backoff;
  tries: number;
  timer: Timer | undefined;
  underWay: Promise<void> | undefined;
}

/**
 * Events that could not be handled. Each is retried a few times without blocking others, because a missing object may still arrive. Events
 * of one object stay in order.
 */
class EventRetries<T extends KubeObject> {
  readonly #options: EventRetriesOptions<T>;
  readonly #byObject = new Map<string, Retry<T>>();
  /** Counter that identifies objects without a name, and events that failed after a newer event of the same object. */
  #others = 0;

  constructor(options: EventRetriesOptions<T>) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Number of events that are waiting for a retry. */
  get size(): number {
    return this.#byObject.size;
  }

  add(event: ObjectEvent<T>): void {
    if (this.#options.signal.aborted) return;
    const retry: Retry<T> = {
      event,
      backoff: new Backoff({ baseMs: 100, maxMs: 5_000 }),
      tries: 1,
      timer: undefined,
      underWay: undefined,
    };
    const named = idOf(event);
    const id = named === undefined || this.#byObject.has(named) ? `#${this.#others++}` : named;
    this.#byObject.set(id, retry);
    this.#wait(id, retry);
  }

  /**
   * Retries an older waiting event of the same object immediately, for the last time. Must be called before a newer event of an object is
   * handled.
   *
   * @returns a promise to await, if any
   */
  makeWay(event: ObjectEvent<T>): Promise<void> | undefined {
    const id = idOf(event);
    const earlier = id === undefined ? undefined : this.#byObject.get(id);
    if (!earlier || id === undefined) return undefined;
    earlier.tries = maxTries;
    this.#byObject.delete(id);
    if (earlier.underWay) return earlier.underWay;
    earlier.timer?.cancel();
    return this.#try(id, earlier);
  }

  #wait(id: string, retry: Retry<T>): void {
    retry.timer = this.#options.clock.after(retry.backoff.next(), () => {
      retry.tries++;
      void this.#try(id, retry);
    });
  }

  #try(id: string, retry: Retry<T>): Promise<void> | undefined {
    const outcome = this.#options.handle(retry.event);
    if (!(outcome instanceof Promise)) return this.#conclude(id, retry, outcome);
    retry.underWay = outcome.then((failure) => this.#conclude(id, retry, failure));
    return retry.underWay;
  }

  #conclude(id: string, retry: Retry<T>, failure: Failure | undefined): undefined {
    const { signal, onDropped } = this.#options;
    retry.underWay = undefined;
    if (failure && retry.tries < maxTries && !signal.aborted) {
      this.#wait(id, retry);
      return;
    }
    if (this.#byObject.get(id) === retry) this.#byObject.delete(id);
    if (failure && !signal.aborted) onDropped(retry.event, failure);
  }

  #stop(): void {
    for (const { timer } of this.#byObject.values()) timer?.cancel();
    this.#byObject.clear();
  }
}

function idOf(event: ObjectEvent): string | undefined {
  const { kind = "", key } = namesOf(event);
  return key === undefined ? undefined : `${kind} ${key}`;
}

/** Reports whether an event is a change. Resyncs and objects that existed at the start are not changes. */
function isChange(event: ObjectEvent): boolean {
  if (event.type === "create") return event.isInInitialList !== true;
  return event.type !== "update" || resourceVersionOf(event.object) !== resourceVersionOf(event.old);
}

/** Returns the name of a handler or predicate for log lines. */
const nameOfFunction = (what: { readonly name: string }): string => what.name || "(anonymous)";

/**
 * Returns the kind and key of an event's object, for log lines and causes. Custom sources may deliver arbitrary values, so nothing is
 * assumed. `key` is absent if the object has no name.
 */
function namesOf({ object }: ObjectEvent): {
  readonly kind: string | undefined;
  readonly key: string | undefined;
} {
  const unchecked: { readonly kind?: unknown; readonly metadata?: unknown } | null | undefined = object;
  const metadata = isRecord(unchecked?.metadata) ? unchecked.metadata : {};
  const name = textOf(metadata.name);
  const namespace = textOf(metadata.namespace);
  return { kind: textOf(unchecked?.kind), key: name && namespace ? `${namespace}/${name}` : name };
}

function resourceVersionOf(object: ObjectEvent["object"] | undefined): string | undefined {
  return isRecord(object?.metadata) ? textOf(object.metadata.resourceVersion) : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
