import {
  type DeepReadonly,
  groupKindKey,
  type Kind,
  type KubeObject,
  type Permission,
  type PermissionOptions,
  type PermissionVerb,
  permissionFor,
} from "@kubewright/apimachinery";
import {
  Controller,
  type ControllerSettings,
  type EventHandler,
  enqueueRequestForObject,
  enqueueRequestForOwner,
  kindSource,
  type Predicate,
  type Reconciler,
  type Request,
  type Source,
} from "@kubewright/controller";
import type { Logger } from "@kubewright/log";
import type { Manager } from "@kubewright/manager";

/** What can be said of any kind that is watched. */
export interface WatchesOptions<T extends KubeObject> {
  /** Which events of the kind count. Default: all. */
  readonly predicates?: readonly Predicate<T>[];
  /** Fields by which the cache can be asked for objects of the kind: their names, and how to read their values off an object. */
  readonly indexes?: Readonly<Record<string, (object: DeepReadonly<T>) => readonly string[]>>;
  /**
   * Whether the program brings the definition of the kind, if it has one with it, as those of `defineKind` have. `false`: another program brings it, so
   * that it is not among the definitions, roles and samples that are written from this one. Default true.
   */
  readonly isDefinedHere?: boolean;
}

/** How {@link ControllerBuilder.for} watches the kind that is reconciled. @see controller-runtime pkg/builder ForOption */
export type ForOptions<T extends KubeObject> = WatchesOptions<T>;

/**
 * How {@link ControllerBuilder.owns} watches a kind, and which owners its events reconcile.
 *
 * @see controller-runtime pkg/builder OwnsOption, MatchEveryOwner
 */
export interface OwnsOptions<T extends KubeObject> extends WatchesOptions<T> {
  /** Reconcile every owner of the `for` kind, not only the managing controller. Default false. */
  readonly matchEveryOwner?: boolean;
}

/** How the controller works. What is not set is taken from the manager. */
export interface BuilderSettings<R = Request> extends ControllerSettings<R> {
  /** Default: the manager's. */
  readonly logger?: Logger;
}

/** One kind that is watched; a closure keeps its type. */
type Watch<R> = (filters: readonly Predicate[]) => Source<R>;

/**
 * Puts a controller together and adds it to a manager. Nothing happens before {@link complete}. Requests are keys of objects unless
 * said otherwise; {@link for} and {@link owns} know no others.
 *
 * @see controller-runtime pkg/builder Builder
 */
export class ControllerBuilder<R = Request> {
  readonly #manager: Manager;
  readonly #watches: Watch<R>[] = [];
  readonly #owned: ((owner: Kind) => Watch<R>)[] = [];
  readonly #ownedKinds: Kind[] = [];
  readonly #permissions: Permission[] = [];
  readonly #filters: Predicate[] = [];
  readonly #prepare: (() => void)[] = [];
  #kind: Kind | undefined;
  #name: string | undefined;
  #settings: BuilderSettings<R> = {};
  #mistake: string | undefined;

  constructor(manager: Manager) {
    this.#manager = manager;
  }

  /** The kind that is reconciled. It names the controller, unless {@link named} does. Once only. */
  for<T extends KubeObject>(this: ControllerBuilder, kind: Kind<T>, options: ForOptions<T> = {}): ControllerBuilder {
    if (this.#kind) this.#mistake ??= "for(...) should only be called once, could not assign multiple kinds";
    this.#kind = kind;
    this.#watches.unshift(this.#watchWith(kind, options)(enqueueRequestForObject()));
    return this;
  }

  /** A kind whose objects are made for one of the `for` kind: what happens to them reconciles their owner. */
  owns<T extends KubeObject>(this: ControllerBuilder, kind: Kind<T>, options: OwnsOptions<T> = {}): ControllerBuilder {
    this.#ownedKinds.push(kind);
    const { matchEveryOwner = false, ...watched } = options;
    const watch = this.#watchWith(kind, watched);
    this.#owned.push((owner) => watch(enqueueRequestForOwner(owner, { onlyController: !matchEveryOwner })));
    return this;
  }

  /** Any other kind, and which requests its events ask for. */
  watches<T extends KubeObject>(kind: Kind<T>, handler: EventHandler<T, R>, options: WatchesOptions<T> = {}): this {
    this.#watches.push(this.#watchWith(kind, options)(handler));
    return this;
  }

  /** A source of requests as it is; {@link withEventFilter} does not act on it. */
  watchesSource(source: Source<R>): this {
    this.#watches.push(() => source);
    return this;
  }

  /** A predicate for the events of all kinds watched here. */
  withEventFilter(predicate: Predicate): this {
    this.#filters.push(predicate);
    return this;
  }

  /**
   * What the reconciler does with a kind, where tests do not reach it: for the roles of the program, and for what is asked at its start.
   * What is read of kinds that are watched follows by itself.
   *
   * @throws {Error} if no verb is named, or one is a wildcard
   */
  needs(kind: Kind, verbs: readonly PermissionVerb[], options: PermissionOptions = {}): this {
    this.#permissions.push(permissionFor(kind, verbs, options));
    return this;
  }

  /** How the controller works. Of several calls, what a later one sets holds. @see controller-runtime pkg/builder WithOptions */
  withOptions(settings: BuilderSettings<R>): this {
    this.#settings = { ...this.#settings, ...settings };
    return this;
  }

  /** Default: the `for` kind in lower case. Unique in the manager: it is the label of the controller's metrics. */
  named(name: string): this {
    this.#name = name;
    return this;
  }

  /**
   * Makes the controller and adds it to the manager.
   *
   * @throws {Error} if nothing is watched, `owns` lacks a `for`, or the controller has no name of its own
   */
  complete(reconcile: Reconciler<R>): Controller<R> {
    if (this.#mistake) throw new Error(this.#mistake);
    if (!reconcile) throw new Error("must provide a non-nil reconciler");
    const kind = this.#kind;
    if (!kind && this.#owned.length > 0) throw new Error("owns(...) can only be used together with for(...)");
    if (!kind && this.#watches.length === 0)
      throw new Error(
        "there are no watches configured, controller will never get triggered. Use for(), owns(), watches() or watchesSource() to set them up",
      );
    const name = this.#name ?? kind?.kind.toLowerCase();
    if (!name) throw new Error("controller must have a name: use for(...) or named(...)");
    const controller = this.#make(name, kind, reconcile);
    for (const prepare of this.#prepare) prepare();
    this.#manager.add(controller);
    return controller;
  }

  #make(name: string, kind: Kind | undefined, reconcile: Reconciler<R>): Controller<R> {
    const manager = this.#manager;
    const { groupKindConcurrency = {}, ...defaults } = manager.controllerDefaults;
    const forKind = kind ? groupKindConcurrency[groupKindKey(kind)] : undefined;
    const { logger = manager.logger, ...own } = this.#settings;
    const settings = {
      ...defaults,
      ...(forKind ? { maxConcurrentReconciles: forKind } : {}),
      ...defined(own),
      cacheSyncTimeoutMs: own.cacheSyncTimeoutMs || defaults.cacheSyncTimeoutMs,
    };
    if (!settings.skipNameValidation) manager.claimName(name);
    const owned = kind ? this.#owned.map((watch) => watch(kind)) : [];
    return new Controller({
      ...settings,
      name,
      reconcile,
      sources: [...this.#watches, ...owned].map((watch) => watch(this.#filters)),
      described: { for: kind, owns: this.#ownedKinds, permissions: this.#permissions },
      client: manager.clientFor(settings.needLeaderElection === false ? "others" : "leaderElection"),
      mapper: manager.mapper,
      cache: manager.cache,
      liveReader: manager.apiReader,
      recorder: manager.recorderFor(name),
      logger: kind ? logger.child({ controllerGroup: kind.group, controllerKind: kind.kind }) : logger,
      clock: manager.clock,
      metrics: manager.controllerMetrics,
      queueMetrics: manager.queueMetrics,
    });
  }

  #watchWith<T extends KubeObject>(
    kind: Kind<T>,
    options: WatchesOptions<T>,
  ): (handler: EventHandler<T, R>) => Watch<R> {
    const { predicates = [], indexes = {}, isDefinedHere = true } = options;
    const { cache } = this.#manager;
    for (const [field, extract] of Object.entries(indexes))
      this.#prepare.push(() => cache.indexField(kind, field, extract));
    return (handler) => (filters) =>
      kindSource(cache, kind, { handler, predicates: [...filters, ...predicates], isDefinedHere });
  }
}

/** Builds a controller for a manager. */
export function controllerManagedBy<R = Request>(manager: Manager): ControllerBuilder<R> {
  return new ControllerBuilder<R>(manager);
}

/** What is set to `undefined` counts as not set. */
function defined<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
