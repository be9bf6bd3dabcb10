import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import type { HandlerRegistration, ResourceEventHandler } from "../informer/event-handler.ts";
import { Latch } from "../informer/latch.ts";
import type { HandlerOptions, SharedInformer } from "../informer/shared-informer.ts";
import type { Indexers } from "../store/index-set.ts";

/**
 * The informer of a kind in an `InformerCache`. A cache that is limited to namespaces has several behind it, one for each.
 *
 * @see controller-runtime pkg/cache Informer
 */
export interface CacheInformer<T extends KubeObject> {
  readonly name: string;
  /** Whether the initial list is in the store. */
  readonly hasSynced: boolean;
  readonly isStopped: boolean;
  /** Time since the server was last heard from, in milliseconds; infinite before the first time. */
  readonly ageMs: number;
  /** What last interrupted listing or watching; `undefined` once something has come from the server since. */
  readonly lastError: unknown;
  /** Resolves to true once {@link hasSynced}; to false if the signal aborts or the informer stops first. */
  synced(signal?: AbortSignal): Promise<boolean>;
  /** See `SharedInformer.addHandler`. @throws {Error} if the informer has stopped */
  addHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions): HandlerRegistration;
  /** See `SharedInformer.addIndexers`. @throws {Error} if the informer has stopped, or an index of that name has another function */
  addIndexers(indexers: Indexers<Stored<DeepReadonly<T>>>): void;
}

/** Finds out whether the objects of a kind are in no namespace. What goes wrong meanwhile is passed to `noteError`. */
export type ClusterWide = (signal: AbortSignal, noteError: (error: unknown) => void) => Promise<boolean>;

/**
 * The informers of one kind, each of another namespace, as one. Where only the server knows whether the kind is in namespaces at all,
 * it is asked at the start. If the kind is not, the first informer has all objects and the others are dropped.
 */
export class InformerGroup<T extends KubeObject> implements CacheInformer<T> {
  readonly name: string;
  readonly #isClusterWide: ClusterWide | undefined;
  readonly #stop = new AbortController();
  readonly #settled = new Latch();
  #members: ReadonlyMap<string, SharedInformer<T>>;
  #running: Promise<unknown> | undefined;
  #settlingError: unknown;

  constructor(name: string, members: ReadonlyMap<string, SharedInformer<T>>, isClusterWide?: ClusterWide) {
    this.name = name;
    this.#members = members;
    this.#isClusterWide = isClusterWide;
    if (!isClusterWide) this.#settled.open();
  }

  /** By namespace. The empty string stands for all namespaces. */
  get members(): ReadonlyMap<string, SharedInformer<T>> {
    return this.#members;
  }

  get hasSynced(): boolean {
    for (const informer of this.members.values()) if (!informer.hasSynced) return false;
    return true;
  }

  get isStopped(): boolean {
    for (const informer of this.members.values()) if (!informer.isStopped) return false;
    return true;
  }

  get ageMs(): number {
    return Math.max(...[...this.members.values()].map((informer) => informer.ageMs));
  }

  get lastError(): unknown {
    for (const { lastError } of this.members.values()) if (lastError !== undefined) return lastError;
    return this.#settlingError;
  }

  /** The informers that have the objects of a namespace, or of all namespaces if it is `undefined`. */
  of(namespace: string | undefined): readonly SharedInformer<T>[] {
    const whole = this.members.get("");
    if (whole) return [whole];
    if (!namespace) return [...this.members.values()];
    const member = this.members.get(namespace);
    return member ? [member] : [];
  }

  async synced(signal?: AbortSignal): Promise<boolean> {
    if (!(await this.settled(signal))) return false;
    const outcomes = await Promise.all([...this.members.values()].map((informer) => informer.synced(signal)));
    return outcomes.every(Boolean);
  }

  /** Resolves to true once it is known which informers there are; to false if the signal aborts or the informers stop first. */
  settled(signal?: AbortSignal): Promise<boolean> {
    return this.isStopped ? Promise.resolve(this.#settled.isOpen) : this.#settled.wait(signal);
  }

  /** Whether an informer is still among {@link members}. */
  has(informer: SharedInformer<T>): boolean {
    for (const member of this.#members.values()) if (member === informer) return true;
    return false;
  }

  addHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions): HandlerRegistration {
    const registrations = new Map(
      [...this.members.values()].map((informer) => [informer, informer.addHandler(handler, options)]),
    );
    const [only] = registrations.values();
    return registrations.size === 1 && only ? only : new RegistrationGroup(this, registrations);
  }

  addIndexers(indexers: Indexers<Stored<DeepReadonly<T>>>): void {
    for (const informer of this.members.values()) informer.addIndexers(indexers);
  }

  /** Runs the informers until the signal aborts. Further calls, of which each read makes one, do nothing. */
  start(signal: AbortSignal): void {
    if (this.#running) return;
    const either = AbortSignal.any([signal, this.#stop.signal]);
    this.#running = this.#run(either);
  }

  /** Stops the informers. Resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Resolves when the informers have ended; at once if they were never started. */
  async stopped(): Promise<void> {
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    if (this.#isClusterWide) await this.#settle(this.#isClusterWide, signal);
    await Promise.all([...this.#members.values()].map((informer) => informer.run(signal)));
  }

  async #settle(isClusterWide: ClusterWide, signal: AbortSignal): Promise<void> {
    const [first, ...others] = this.#members.values();
    const noteError = (error: unknown): void => {
      this.#settlingError = error;
    };
    const isWhole = await isClusterWide(signal, noteError);
    if (!signal.aborted) this.#settlingError = undefined;
    if (first && isWhole) {
      this.#members = new Map([["", first]]);
      await Promise.all(others.map((informer) => informer.run(AbortSignal.abort())));
    }
    this.#settled.open();
  }
}

class RegistrationGroup<T extends KubeObject> implements HandlerRegistration {
  readonly #group: InformerGroup<T>;
  readonly #registrations: ReadonlyMap<SharedInformer<T>, HandlerRegistration>;

  constructor(group: InformerGroup<T>, registrations: ReadonlyMap<SharedInformer<T>, HandlerRegistration>) {
    this.#group = group;
    this.#registrations = registrations;
  }

  get name(): string {
    return [...this.#registrations.values()].map(({ name }) => name).join(", ");
  }

  get hasSynced(): boolean {
    return this.#ofMembers().every(({ hasSynced }) => hasSynced);
  }

  async synced(signal?: AbortSignal): Promise<boolean> {
    if (!(await this.#group.settled(signal))) return false;
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
