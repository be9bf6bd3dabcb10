import { AsyncLocalStorage } from "node:async_hooks";
import type { Socket } from "node:net";
import type { Random } from "./random.ts";

/**
 * A participant in a simulation: the API server, the users, or one process of the program. Code that runs in an actor's
 * asynchronous context sees the actor's time and random numbers.
 */
export interface Actor {
  readonly name: string;
  readonly time: VirtualTime;
  readonly random: Random;
  /** True once the actor's process has been killed. Its timers no longer fire. */
  isDead: boolean;
  /** Difference between the actor's wall clock and the simulation's, in milliseconds. */
  skewMs: number;
  /**
   * Time until which the actor's event loop stalls, on the simulation's monotonic clock in milliseconds. Until then, no
   * timers fire, and no responses arrive.
   */
  stalledUntilMs: number;
  /** Called with a description of each attempt to use the network or a port, or to start a process or a thread. */
  readonly onRefused: (what: string) => void;
  /** Called with the exit code when the actor calls `process.exit`. By default, that ends the whole process. */
  readonly onExit?: ((code: number) => void) | undefined;
  /** Receives the actor's output to standard output and standard error. */
  readonly onOutput: (text: string) => void;
  /** Handles `fetch`; returns undefined if nothing listens at the address. */
  readonly fetch?: ((request: Request) => Promise<Response> | undefined) | undefined;
  /**
   * Reports whether the actor may connect to an address or look up a host name, in real time. By default, it may not.
   *
   * @param address host and port, or only a host
   * @param socket the socket to connect
   */
  readonly connects?: ((address: string, socket: Socket | undefined) => boolean) | undefined;
}

/** The actor on whose behalf the current code runs. Undefined outside a simulation. */
export const currentActor: AsyncLocalStorage<Actor> = new AsyncLocalStorage();

interface Entry {
  atMs: number;
  order: number;
  readonly owner: Actor;
  readonly callback: () => void;
  isCancelled: boolean;
  /** True if the timer cannot be cancelled and no process is waiting for it. */
  readonly isUnowned?: boolean;
  /** True if the entry waits because its owner's event loop stalls. */
  isLate?: boolean;
}

/** A timer of a {@link VirtualTime}. */
export interface VirtualTimer {
  cancel(): void;
}

/** The platform's own function: the simulation replaces the global one. */
const realImmediate = setImmediate;

/**
 * Maximum number of turns of the event loop during which the virtual time does not advance. A program that exceeds it
 * runs without ever waiting.
 */
const maxTurns = 100_000;

/**
 * The clock of a simulation. Its time advances only when all code is waiting: all promise callbacks run before the next
 * timer fires. Timers fire in chronological order; timers that are due at the same time fire in the order in which they
 * were created.
 */
export class VirtualTime {
  readonly #startMs: number;
  #elapsedMs = 0;
  #order = 0;
  #heap: Entry[] = [];
  #immediates: Entry[] = [];
  readonly #held = new Set<Promise<unknown>>();

  /** @param startMs milliseconds since 1970 */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs;
  }

  /** Milliseconds since the start. Never decreases. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** Milliseconds since 1970. */
  get nowMs(): number {
    return this.#startMs + this.#elapsedMs;
  }

  /** @param isUnowned true for a timer that cannot be cancelled; {@link countOf} does not count it */
  after(ms: number, owner: Actor, callback: () => void, isUnowned: boolean = false): VirtualTimer {
    const delayMs = Number.isFinite(ms) ? Math.max(ms, 0) : ms === Number.POSITIVE_INFINITY ? ms : 0;
    const entry: Entry = {
      atMs: this.#elapsedMs + delayMs,
      order: this.#order++,
      owner,
      callback: inContext(owner, callback),
      isCancelled: false,
      isUnowned,
    };
    if (delayMs !== Number.POSITIVE_INFINITY) push(this.#heap, entry);
    return cancelling(entry);
  }

  /** Runs the callback in the next turn of the event loop, without advancing the time. */
  immediately(owner: Actor, callback: () => void): VirtualTimer {
    const entry: Entry = {
      atMs: this.#elapsedMs,
      order: this.#order++,
      owner,
      callback: inContext(owner, callback),
      isCancelled: false,
    };
    this.#immediates.push(entry);
    return cancelling(entry);
  }

  /** Runs all code that is not waiting for a timer. @throws {Error} if the code never ends */
  async drain(): Promise<void> {
    let turns = 0;
    do {
      await new Promise<void>((resolve) => void realImmediate(resolve));
      // Also those of dead actors: others may share the turn, and a dead actor can do nothing.
      const entry = this.#immediates.shift();
      if (entry && !entry.isCancelled) entry.callback();
      if (++turns > maxTurns)
        throw new Error(`${entry?.owner.name ?? "the program"} runs forever without waiting for anything`);
      if (this.#immediates.length === 0 && this.#held.size > 0) await Promise.race(this.#held);
    } while (this.#immediates.length > 0 || this.#held.size > 0);
    await new Promise<void>((resolve) => void realImmediate(resolve));
    if (this.#immediates.length > 0 || this.#held.size > 0) await this.drain();
  }

  /** Stops virtual time while work takes real time, such as a request to a real cluster. The work must not wait for virtual time. */
  async hold<T>(work: Promise<T>): Promise<T> {
    const held: Promise<void> = work
      .then(
        () => {},
        () => {},
      )
      .finally(() => this.#held.delete(held));
    this.#held.add(held);
    return work;
  }

  /** Time at which the next timer fires, on the same clock as {@link elapsedMs}. Infinite if no timer is waiting. */
  get nextMs(): number {
    while (this.#heap[0]?.isCancelled) pop(this.#heap);
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Advances the time by `ms` milliseconds. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    await this.drain();
    while (await this.#step(endMs));
    this.#elapsedMs = Math.max(this.#elapsedMs, endMs);
  }

  /**
   * Advances the time in a single jump, as on a machine that was asleep. Each timer that has become due fires late, and
   * only once.
   */
  async leap(ms: number): Promise<void> {
    await this.drain();
    this.#elapsedMs += ms;
    await this.advance(0);
  }

  /**
   * Advances the time until a promise settles, and returns its result.
   *
   * @throws {Error} after `ms` milliseconds of virtual time
   */
  async until<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {}); // awaited below
    const endMs = this.#elapsedMs + ms;
    await this.drain();
    while (!isSettled) if (!(await this.#step(endMs))) throw new Error(`${what} did not end within ${ms / 1_000} s`);
    return settled;
  }

  /** Resolves immediately or, if an actor's event loop stalls, when the event loop continues. */
  async resumed(actor: Actor): Promise<void> {
    if (actor.stalledUntilMs > this.#elapsedMs)
      await new Promise<void>((resolve) => void this.after(0, actor, resolve));
  }

  /** Ends the stall of an actor's event loop. */
  resume(actor: Actor): void {
    actor.stalledUntilMs = 0;
    for (const entry of this.#heap) if (entry.owner === actor && entry.isLate) entry.atMs = this.#elapsedMs;
    this.#heap.sort((a, b) => (isBefore(a, b) ? -1 : 1)); // a sorted array is a heap
  }

  /** Waits for work that is not part of the simulation, such as loading modules. Virtual time does not advance in the meantime. */
  async outside<T>(promise: Promise<T>): Promise<T> {
    const result = await promise;
    await this.drain();
    return result;
  }

  /** Removes an actor's timers. */
  forget(owner: Actor): void {
    this.#heap = this.#heap.filter((entry) => entry.owner !== owner);
    this.#heap.sort((a, b) => (isBefore(a, b) ? -1 : 1)); // a sorted array is a heap
  }

  /** Number of an actor's cancellable timers that have neither fired nor been cancelled. */
  countOf(owner: Actor): number {
    return this.#heap.filter((entry) => entry.owner === owner && !entry.isCancelled && !entry.isUnowned).length;
  }

  /** Fires the next timer, unless it is due after `endMs`. @returns false if no such timer exists */
  async #step(endMs: number): Promise<boolean> {
    for (;;) {
      const next = this.#heap[0];
      if (!next || (next.atMs > endMs && !next.isCancelled)) return false;
      pop(this.#heap);
      if (next.isCancelled || next.owner.isDead) continue;
      if (next.owner.stalledUntilMs > Math.max(next.atMs, this.#elapsedMs)) {
        next.atMs = next.owner.stalledUntilMs;
        next.isLate = true;
        next.order = this.#order++;
        push(this.#heap, next);
        continue;
      }
      this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
      next.isCancelled = true;
      next.callback();
      await this.drain();
      return true;
    }
  }
}

const cancelling = (entry: Entry): VirtualTimer => ({
  cancel() {
    entry.isCancelled = true;
  },
});

/**
 * Returns a callback that runs in the asynchronous context in which it was created, like callbacks of Node's timers, or
 * in its owner's context.
 */
const inContext = (owner: Actor, callback: () => void): (() => void) =>
  currentActor.getStore() === owner ? AsyncLocalStorage.bind(callback) : () => currentActor.run(owner, callback);

const isBefore = (a: Entry, b: Entry): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = heap[parentAt];
    if (!parent || !isBefore(entry, parent)) break;
    heap[at] = parent;
    at = parentAt;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    const child = a && b && isBefore(b, a) ? b : a;
    if (!child || !isBefore(child, last)) break;
    heap[at] = child;
    at = child === a ? left : left + 1;
  }
  heap[at] = last;
}
