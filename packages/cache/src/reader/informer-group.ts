import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";
import type { HandlerRegistration, ResourceEventHandler } from "../informer/event-handler.ts";
import type { HandlerOptions, SharedInformer } from "../informer/shared-informer.ts";
import { Latch } from "../informer/waiting.ts";
import type { Indexers } from "../store/indexes.ts";
import type { KeptPart } from "./kept-part.ts";

/**
 * A kind's informer in an `InformerCache`. If the cache is limited to certain namespaces, it consists of one informer per namespace.
 *
 * @see controller-runtime pkg/cache Informer
 */
export interface CacheInformer<T extends KubeObject> {
  readonly name: string;
  /** True once the initial list is in the store. */
  readonly hasSynced: boolean;
  readonly isStopped: boolean;
  /** Milliseconds since the last response from the server; `Infinity` before the first one. */
  readonly ageMs: number;
  /** Most recent error that interrupted listing or watching. `undefined` once the server has responded again. */
  readonly lastError: unknown;
  /** Resolves to true once {@link hasSynced} is true, or to false if the signal aborts or the informer stops first. */
  synced(signal?: AbortSignal): Promise<boolean>;
  /** Adds a handler; see `SharedInformer.addHandler`. @throws {Error} if the informer has stopped */
  addHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions): HandlerRegistration;
  /**
   * Adds indexes; see `SharedInformer.addIndexers`.
   *
   * @throws {Error} if the informer has stopped, or an index of that name has a different function
   */
  addIndexers(indexers: Indexers<Stored<DeepReadonly<T>>>): void;
}

/**
 * Determines whether a kind is cluster-scoped. Retries until it succeeds or the signal aborts. Passes each error to
 * `noteError`.
 *
 * @throws {Error} if the kind must be namespaced, but is cluster-scoped
 */
export type ClusterWide = (signal: AbortSignal, noteError: (error: unknown) => void) => Promise<boolean>;

/** Settings for a kind whose scope is known only to the server. */
export interface UnclearScope<T extends KubeObject> {
  /** Called when the informers start. */
  readonly isClusterWide: ClusterWide;
  /** Replaces all informers if the kind is cluster-scoped; discarded otherwise. */
  readonly whole: SharedInformer<T>;
}

/** Maximum number of namespaces listed in a message. */
const maxNamed = 5;

/** Combines a kind's informers, one per namespace, into a single informer. */
export class InformerGroup<T extends KubeObject> implements CacheInformer<T> {
  readonly name: string;
  /** Part of the objects that is kept. `undefined` if it never was limited. */
  readonly part: KeptPart | undefined;
  readonly #unclear: UnclearScope<T> | undefined;
  readonly #stop = new AbortController();
  readonly #settled = new Latch();
  #members: ReadonlyMap<string, SharedInformer<T>>;
  #running: Promise<unknown> | undefined;
  #settlingError: unknown;
  #refusal: Error | undefined;
  /** Cached result: once true, the members are final, and an informer that has synced stays synced. */
  #hasSynced = false;

  constructor(
    name: string,
    members: ReadonlyMap<string, SharedInformer<T>>,
    unclear?: UnclearScope<T>,
    part?: KeptPart,
  ) {
    this.name = name;
    this.part = part;
    this.#members = members;
    this.#unclear = unclear;
    if (!unclear) this.#settled.open();
  }

  /** Error that prevents the creation of informers: namespaces were configured for a cluster-scoped kind. */
  get refusal(): Error | undefined {
    return this.#refusal;
  }

  /** The informers, keyed by namespace. The key `""` means all namespaces without their own informer. */
  get members(): ReadonlyMap<string, SharedInformer<T>> {
    return this.#members;
  }

  get hasSynced(): boolean {
    this.#hasSynced ||= this.hasSyncedIn(undefined);
    return this.#hasSynced && this.#isPartStored;
  }

  /** True unless all objects are kept, but are not in the store yet. */
  get #isPartStored(): boolean {
    return !this.part?.isWhole || this.part.isStored(undefined);
  }

  /**
   * Reports whether the objects of a namespace are in memory. For `undefined`, reports on all namespaces. A limited {@link part} is not
   * considered.
   */
  hasSyncedIn(namespace: string | undefined): boolean {
    if (!this.#settled.isOpen) return false;
    if (!namespace) {
      for (const informer of this.#members.values()) if (!informer.hasSynced) return false;
      return true;
    }
    return this.of(namespace).every((informer) => informer.hasSynced);
  }

  /** Returns the {@link name}. For a kind with several informers, the namespaces that have not synced are appended. */
  unsyncedName(namespace?: string): string {
    const asked = this.of(namespace);
    const unsynced = [...this.#members].flatMap(([of, informer]) =>
      informer.hasSynced || !asked.includes(informer) ? [] : of === "" ? "all other namespaces" : JSON.stringify(of),
    );
    const isWhole = this.#members.size === 1 && this.#members.has("");
    if (isWhole || !this.#settled.isOpen || unsynced.length === 0) return this.name;
    const more = unsynced.length - maxNamed;
    return `${this.name} in ${unsynced.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more namespaces` : ""}`;
  }

  get isStopped(): boolean {
    for (const informer of this.members.values()) if (!informer.isStopped) return false;
    return true;
  }

  /** Number of objects in memory. */
  get objects(): number {
    let objects = 0;
    for (const { indexer } of this.members.values()) objects += indexer.size;
    return objects;
  }

  /** True while a handler has not finished with changes that are already in memory. */
  get isDelivering(): boolean {
    for (const informer of this.members.values()) if (informer.isDelivering) return true;
    return false;
  }

  get ageMs(): number {
    return Math.max(...[...this.members.values()].map((informer) => informer.ageMs));
  }

  get lastError(): unknown {
    return this.lastErrorIn(undefined);
  }

  /**
   * Returns the {@link lastError} of a namespace's informers. Informers that have not synced come first, because callers may be waiting for
   * them.
   */
  lastErrorIn(namespace: string | undefined): unknown {
    const failing = this.of(namespace).filter(({ lastError }) => lastError !== undefined);
    const informer = failing.find(({ hasSynced }) => !hasSynced) ?? failing[0];
    return informer ? informer.lastError : this.#settlingError;
  }

  /** Returns the informers that store the objects of a namespace. For `undefined`, returns all informers. */
  of(namespace: string | undefined): readonly SharedInformer<T>[] {
    if (!namespace) return [...this.members.values()];
    const member = this.members.get(namespace) ?? this.members.get("");
    return member ? [member] : [];
  }

  /** @param namespace limits the wait to this namespace */
  async synced(signal?: AbortSignal, namespace?: string): Promise<boolean> {
    if (!(await this.settled(signal))) return false;
    const outcomes = await Promise.all(this.of(namespace).map((informer) => informer.synced(signal)));
    return outcomes.every(Boolean) && (await this.waitUntil(() => this.#isPartStored, signal));
  }

  /** Resolves to true once `condition` returns true after a change to the store; see `SharedInformer.waitUntil`. */
  async waitUntil(condition: () => boolean, signal?: AbortSignal): Promise<boolean> {
    if (condition()) return true;
    const outcomes = await Promise.all(this.of(undefined).map((informer) => informer.waitUntil(condition, signal)));
    return outcomes.every(Boolean);
  }

  /** Lists again now, because another part of the objects is kept. */
  restart(): void {
    for (const informer of this.members.values()) informer.restart();
  }

  /** Resolves to true once the set of informers is final, or to false if the signal aborts or the informers stop first. */
  settled(signal?: AbortSignal): Promise<boolean> {
    return this.isStopped ? Promise.resolve(this.#settled.isOpen) : this.#settled.wait(signal);
  }

  /** Reports whether an informer is still among {@link members}. */
  has(informer: SharedInformer<T>): boolean {
    for (const member of this.#members.values()) if (member === informer) return true;
    return false;
  }

  addHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions): HandlerRegistration {
    const registrations = new Map(this.#all().map((informer) => [informer, informer.addHandler(handler, options)]));
    const [only] = registrations.values();
    const isOne = registrations.size === 1 && this.#isPartStored;
    return isOne && only ? only : new RegistrationGroup(this, registrations);
  }

  addIndexers(indexers: Indexers<Stored<DeepReadonly<T>>>): void {
    for (const informer of this.#all()) informer.addIndexers(indexers);
  }

  /**
   * Runs the informers until the signal aborts. It is called by each read; only the first call has an effect.
   *
   * @param stopping see `SharedInformer.run`
   */
  start(signal: AbortSignal, stopping?: AbortSignal): void {
    if (this.#running) return;
    const either = AbortSignal.any([signal, this.#stop.signal]);
    this.#running = this.#run(either, stopping);
  }

  /** Stops the informers. Resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Resolves when the informers have ended, or immediately if they were never started. */
  async stopped(): Promise<void> {
    await this.#running;
  }

  /** Returns all informers, including the one that may replace the others. */
  #all(): SharedInformer<T>[] {
    const members = [...this.#members.values()];
    return this.#unclear && !this.#settled.isOpen ? [...members, this.#unclear.whole] : members;
  }

  async #run(signal: AbortSignal, stopping: AbortSignal | undefined): Promise<void> {
    if (this.#unclear) {
      const stopWaiting = (): void => this.#settled.abort();
      if (stopping?.aborted) stopWaiting();
      stopping?.addEventListener("abort", stopWaiting, { once: true });
      await this.#settle(this.#unclear, signal);
      stopping?.removeEventListener("abort", stopWaiting);
    }
    if (!this.#refusal) await runAll(this.#members.values(), signal, stopping);
  }

  async #settle({ isClusterWide, whole }: UnclearScope<T>, signal: AbortSignal): Promise<void> {
    const noteError = (error: unknown): void => {
      this.#settlingError = error;
    };
    const none = AbortSignal.abort();
    try {
      const isWhole = await isClusterWide(signal, noteError);
      if (!signal.aborted) this.#settlingError = undefined;
      const dropped = isWhole ? [...this.#members.values()] : [whole];
      if (isWhole) this.#members = new Map([["", whole]]);
      await runAll(dropped, none);
      this.#settled.open();
    } catch (error) {
      this.#refusal = error instanceof Error ? error : new Error(errorText(error));
      this.#settlingError = error;
      await runAll(this.#all(), none);
      this.#settled.abort();
    }
  }
}

async function runAll<T extends KubeObject>(
  informers: Iterable<SharedInformer<T>>,
  signal: AbortSignal,
  stopping?: AbortSignal,
): Promise<void> {
  await Promise.all([...informers].map((informer) => informer.run(signal, stopping)));
}

class RegistrationGroup<T extends KubeObject> implements HandlerRegistration {
  readonly #group: InformerGroup<T>;
  readonly #registrations: ReadonlyMap<SharedInformer<T>, HandlerRegistration>;

  constructor(group: InformerGroup<T>, registrations: ReadonlyMap<SharedInformer<T>, HandlerRegistration>) {
    this.#group = group;
    this.#registrations = registrations;
  }

  get name(): string {
    return this.#ofMembers()
      .map(({ name }) => name)
      .join(", ");
  }

  get hasSynced(): boolean {
    return this.#group.hasSynced && this.#ofMembers().every(({ hasSynced }) => hasSynced);
  }

  async synced(signal?: AbortSignal): Promise<boolean> {
    if (!(await this.#group.synced(signal))) return false;
    const outcomes = await Promise.all(this.#ofMembers().map((registration) => registration.synced(signal)));
    return outcomes.every(Boolean);
  }

  async remove(): Promise<void> {
    await Promise.all([...this.#registrations.values()].map((registration) => registration.remove()));
  }

  #ofMembers(): HandlerRegistration[] {
    return [...this.#registrations].flatMap(([informer, registration]) =>
      this.#group.has(informer) ? [registration] : [],
    );
  }
}
