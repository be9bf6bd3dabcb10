import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "../informer/event-handler.ts";
import type { HandlerRegistration } from "../informer/handler-registration.ts";
import { Latch } from "../informer/latch.ts";
import type { HandlerOptions, SharedInformer } from "../informer/shared-informer.ts";
import type { Indexers } from "../store/index-set.ts";

/** The informer of a kind in a cache. There may be several behind it, one for each namespace. */
export interface CacheInformer<T extends KubeObject> {
  readonly name: string;
  readonly hasSynced: boolean;
  readonly isStopped: boolean;
  /** How long ago the server last gave a sign of life, in milliseconds; infinite before the first. */
  readonly ageMs: number;
  /** What last interrupted listing or watching, unless something came from the server since. */
  readonly lastError: unknown;
  /** Resolves when {@link hasSynced} (true), or when the signal aborts or the informer stops first. */
  synced(signal?: AbortSignal): Promise<boolean>;
  /** See `SharedInformer.addHandler`. */
  addHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions): HandlerRegistration;
  addIndexers(indexers: Indexers<Stored<DeepReadonly<T>>>): void;
}

/** Whether the objects of a kind turn out to be in no namespace. What goes wrong meanwhile is noted. */
export type ClusterWide = (signal: AbortSignal, noteError: (error: unknown) => void) => Promise<boolean>;

/**
 * Informers of one kind, of disjoint sets of its objects, as one. Where only the server knows whether the objects are in namespaces
 * at all it is asked at the start, and if they are not, one informer has them all and the others end.
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

  /** By namespace; the one of all namespaces is under the empty string. */
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

  /** The informers that know the objects of a namespace; `undefined` means all namespaces. */
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

  /** Resolves when it is known which informers there are (true), or when the signal aborts or the informers stop first. */
  settled(signal?: AbortSignal): Promise<boolean> {
    return this.isStopped ? Promise.resolve(this.#settled.isOpen) : this.#settled.wait(signal);
  }

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

  start(signal: AbortSignal): void {
    if (this.#running) return; // asked with every read
    const either = AbortSignal.any([signal, this.#stop.signal]);
    this.#running = this.#run(either);
  }

  /** Ends the informers, and resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Resolves when informers that were started have ended. */
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
