import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "./event-handler.ts";
import type { HandlerRegistration } from "./handler-registration.ts";
import type { Indexers } from "./indexer.ts";
import type { HandlerOptions, SharedInformer } from "./shared-informer.ts";

/** The informer of a kind in a cache. There may be several behind it, one for each namespace. */
export interface CacheInformer<T extends KubeObject> {
  readonly name: string;
  readonly hasSynced: boolean;
  readonly isStopped: boolean;
  /** How long ago the server last gave a sign of life, in milliseconds; infinite before the first. */
  readonly ageMs: number;
  /** Resolves when {@link hasSynced} (true), or when the signal aborts or the informer stops first. */
  synced(signal?: AbortSignal): Promise<boolean>;
  /** See `SharedInformer.addHandler`. */
  addHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions): HandlerRegistration;
  addIndexers(indexers: Indexers<DeepReadonly<T>>): void;
}

/** Informers of one kind, of disjoint sets of its objects, as one. */
export class InformerGroup<T extends KubeObject> implements CacheInformer<T> {
  readonly name: string;
  /** By namespace; the one of all namespaces is under the empty string. */
  readonly members: ReadonlyMap<string, SharedInformer<T>>;
  readonly #stop = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(name: string, members: ReadonlyMap<string, SharedInformer<T>>) {
    this.name = name;
    this.members = members;
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

  /** The informers that know the objects of a namespace; `undefined` means all namespaces. */
  of(namespace: string | undefined): readonly SharedInformer<T>[] {
    const whole = this.members.get("");
    if (whole) return [whole];
    if (!namespace) return [...this.members.values()];
    const member = this.members.get(namespace);
    return member ? [member] : [];
  }

  async synced(signal?: AbortSignal): Promise<boolean> {
    const outcomes = await Promise.all([...this.members.values()].map((informer) => informer.synced(signal)));
    return outcomes.every(Boolean);
  }

  addHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions): HandlerRegistration {
    const registrations = [...this.members.values()].map((informer) => informer.addHandler(handler, options));
    const [only] = registrations;
    return registrations.length === 1 && only ? only : new RegistrationGroup(registrations);
  }

  addIndexers(indexers: Indexers<DeepReadonly<T>>): void {
    for (const informer of this.members.values()) informer.addIndexers(indexers);
  }

  start(signal: AbortSignal): void {
    if (this.#running) return; // asked with every read
    const either = AbortSignal.any([signal, this.#stop.signal]);
    this.#running = Promise.all([...this.members.values()].map((informer) => informer.run(either)));
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
}

class RegistrationGroup implements HandlerRegistration {
  readonly #registrations: readonly HandlerRegistration[];

  constructor(registrations: readonly HandlerRegistration[]) {
    this.#registrations = registrations;
  }

  get name(): string {
    return this.#registrations.map(({ name }) => name).join(", ");
  }

  get hasSynced(): boolean {
    return this.#registrations.every(({ hasSynced }) => hasSynced);
  }

  async synced(signal?: AbortSignal): Promise<boolean> {
    const outcomes = await Promise.all(this.#registrations.map((registration) => registration.synced(signal)));
    return outcomes.every(Boolean);
  }

  async remove(): Promise<void> {
    await Promise.all(this.#registrations.map((registration) => registration.remove()));
  }
}
