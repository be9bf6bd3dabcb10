import { type Logger, silentLogger } from "@kubewright/log";

/** A one-time event that callers can await, whether or not it has already happened. */
export class Latch {
  #isOpen = false;
  #isAborted = false;
  #waiters = new Set<() => void>();

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.release();
  }

  /** Ends the current waits without opening the latch. */
  release(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const resolve of waiters) resolve();
  }

  /** Ends all current and future waits. The latch may still open, but callers no longer wait for it. */
  abort(): void {
    this.#isAborted = true;
    this.release();
  }

  /** Resolves to true once the latch is open, or to false if the signal aborts, or {@link release} or {@link abort} is called first. */
  async wait(signal?: AbortSignal): Promise<boolean> {
    if (this.#isOpen || this.#isAborted || signal?.aborted) return this.#isOpen;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiters.delete(done);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      this.#waiters.add(done);
      signal?.addEventListener("abort", done, { once: true });
    });
    return this.#isOpen;
  }
}

/** A caller that is waiting for a condition to become true. */
interface Waiter {
  readonly condition: () => boolean;
  readonly settle: () => void;
}

/**
 * Lets callers wait until a condition on a store becomes true. Conditions are checked after each change to the store.
 * This costs nothing while no caller is waiting.
 */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /**
   * Resolves to true once `condition` returns true. If the signal aborts or {@link release} is called first, resolves to the condition's
   * value at that time.
   *
   * @throws any error that the condition throws
   */
  async wait(condition: () => boolean, signal?: AbortSignal): Promise<boolean> {
    if (condition() || signal?.aborted) return condition();
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener("abort", settle);
        resolve();
      };
      const waiting: Waiter = { condition, settle };
      this.#waiting.add(waiting);
      signal?.addEventListener("abort", settle, { once: true });
    });
    return condition();
  }

  /** Checks all conditions. The owner of the store must call it after each change. */
  check(): void {
    if (this.#waiting.size === 0) return;
    for (const { condition, settle } of [...this.#waiting]) if (isSettled(condition)) settle();
  }

  /** Ends every wait. */
  release(): void {
    for (const { settle } of [...this.#waiting]) settle();
  }
}

/**
 * Reports whether the wait for a condition is over: the condition is true, or throws. If it throws, `wait` evaluates it once more and
 * rejects with its error.
 */
function isSettled(condition: () => boolean): boolean {
  try {
    return condition();
  } catch {
    return true;
  }
}

/**
 * Tracks whether a consumer has processed the initial list, that is, whether the source has delivered the whole list
 * and the consumer has finished every object that it started. Objects must be finished in the order in which they were
 * started. Once synced, the tracker remains synced.
 *
 * @see client-go tools/cache/synctrack SingleFileTracker
 */
export class SyncTracker {
  readonly #synced = new Latch();
  #open = 0;
  #isSourceSynced = false;

  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /**
   * Resolves to true once {@link hasSynced} is true, or to false if the signal aborts, or {@link release} or {@link abort} is called first.
   */
  synced(signal?: AbortSignal): Promise<boolean> {
    return this.#synced.wait(signal);
  }

  /** Must be called before an object of the initial list is processed. */
  start(): void {
    this.#open++;
  }

  /** Must be called after each object of the initial list has been processed. @throws {Error} if more objects were finished than started */
  finished(): void {
    if (--this.#open < 0)
      throw new Error("more objects were finished than started, so it is unknown whether the cache has synced");
    this.#check();
  }

  /** Must be called once {@link start} has been called for every object of the initial list. */
  sourceSynced(): void {
    this.#isSourceSynced = true;
    this.#check();
  }

  /** Ends the current waits. */
  release(): void {
    this.#synced.release();
  }

  /** Ends all current and future waits. */
  abort(): void {
    this.#synced.abort();
  }

  #check(): void {
    if (this.#isSourceSynced && this.#open === 0) this.#synced.open();
  }
}

/**
 * A {@link SyncTracker} that identifies objects by key. Objects may be finished in any order and started more than once.
 *
 * @see client-go tools/cache/synctrack AsyncTracker
 */
export class KeyedSyncTracker<K> {
  readonly #open = new Set<K>();
  #isSourceSynced = false;
  #hasSynced = false;

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Must be called before an object of the initial list is processed. */
  start(key: K): void {
    this.#open.add(key);
  }

  /** Must be called after each object of the initial list has been processed. Ignores keys that were not started. */
  finished(key: K): void {
    this.#open.delete(key);
    this.#check();
  }

  /** Must be called once {@link start} has been called for every object of the initial list. */
  sourceSynced(): void {
    this.#isSourceSynced = true;
    this.#check();
  }

  #check(): void {
    if (this.#isSourceSynced && this.#open.size === 0) this.#hasSynced = true;
  }
}

/** A condition that callers can await, such as the sync of an informer or a handler registration. @see client-go tools/cache DoneChecker */
export interface DoneChecker {
  readonly name: string;
  /** Resolves to true when done, or to false if the signal aborts first. */
  synced(signal?: AbortSignal): Promise<boolean>;
}

/**
 * Waits until all checkers are done.
 *
 * @param options `what`: a description for logs. If it is set, the function logs when it starts waiting, when a checker
 *   is done and, at the end, which checkers are not done.
 * @returns true if all checkers are done, or false if the signal aborts first
 * @see client-go tools/cache WaitFor
 */
export async function waitFor(
  checkers: readonly DoneChecker[],
  options: {
    readonly what?: string | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly logger?: Logger | undefined;
  } = {},
): Promise<boolean> {
  const { what, signal } = options;
  const logger = what ? (options.logger ?? silentLogger) : silentLogger;
  logger.info({ for: what }, "waiting");
  const missing: string[] = [];
  await Promise.all(
    checkers.map(async (checker) => {
      if (await checker.synced(signal)) logger.info({ for: what, instance: checker.name }, "done waiting");
      else missing.push(checker.name);
    }),
  );
  if (missing.length > 0)
    logger.info({ for: what, cause: causeOf(signal), instances: missing.sort() }, "timed out waiting");
  return missing.length === 0;
}

const causeOf = (signal: AbortSignal | undefined): string =>
  signal?.reason instanceof Error ? signal.reason.message : String(signal?.reason ?? "stopped");

/**
 * A lazily computed value. Reading a stale value recomputes it. Concurrent readers share one computation, and no reader
 * receives a value whose computation began before the last {@link markStale}. Failures are not cached; the next read
 * tries again.
 *
 * @see client-go tools/cache/synctrack Lazy
 */
export class Lazy<V> {
  readonly #compute: () => Promise<V> | V;
  #computed: Promise<V> | undefined;

  constructor(compute: () => Promise<V> | V) {
    this.#compute = compute;
  }

  /** Makes the next reader recompute the value. */
  markStale(): void {
    this.#computed = undefined;
  }

  /**
   * Returns the value, computing it if it is stale.
   *
   * @throws any error that the computation throws
   */
  get(): Promise<V> {
    if (this.#computed) return this.#computed;
    const computed = Promise.resolve().then(this.#compute);
    computed.catch(() => {
      if (this.#computed === computed) this.#computed = undefined;
    });
    this.#computed = computed;
    return computed;
  }
}
