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
  type CommonControllerOptions,
  Controller,
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

/** Options for a watched kind. */
export interface WatchesOptions<T extends KubeObject> {
  /** Predicates for the kind's events. An event must satisfy all of them. Default: all events are accepted. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
  /** Cache indexes for the kind: functions that return a field's values in an object, keyed by field name. */
  readonly indexes?: Readonly<Record<string, (object: DeepReadonly<T>) => readonly string[]>> | undefined;
  /**
   * True if the program provides the kind's CRD (kinds created by `defineKind` contain one). Set it to false if another program provides
   * the CRD, to omit the kind from the generated CRDs, roles and samples. Default true.
   */
  readonly isDefinedHere?: boolean | undefined;
}

/** Options for {@link ControllerBuilder.for}. @see controller-runtime pkg/builder ForOption */
export type ForOptions<T extends KubeObject> = WatchesOptions<T>;

/**
 * Options for {@link ControllerBuilder.owns}.
 *
 * @see controller-runtime pkg/builder OwnsOption, MatchEveryOwner
 */
export interface OwnsOptions<T extends KubeObject> extends WatchesOptions<T> {
  /** True to reconcile every owner of the `for` kind, instead of only the managing controller. Default false. */
  readonly matchEveryOwner?: boolean | undefined;
}

/** Controller settings. Each defaults to the manager's setting. */
export interface BuilderOptions<R = Request> extends CommonControllerOptions<R> {
  /** Logger. Default: the manager's logger. */
  readonly logger?: Logger | undefined;
}

/** Creates the source for a watched kind, for a controller that is sharded or not. The closure preserves the type of the kind. */
type Watch<R> = (filters: readonly Predicate[], isSharded: boolean) => Source<R>;

/**
 * Builds a controller and adds it to a manager. Nothing happens until {@link complete} is called. Requests are object
 * keys by default; {@link for} and {@link owns} support only object keys.
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
  #settings: BuilderOptions<R> = {};
  #mistake: string | undefined;

  constructor(manager: Manager) {
    this.#manager = manager;
  }

  /** Sets the reconciled kind. The controller is named after it unless {@link named} is called. May be called only once. */
  for<T extends KubeObject>(this: ControllerBuilder, kind: Kind<T>, options: ForOptions<T> = {}): ControllerBuilder {
    if (this.#kind) this.#mistake ??= "for(...) should only be called once, could not assign multiple kinds";
    this.#kind = kind;
    this.#watches.unshift(this.#watchWith(kind, options, kind)(enqueueRequestForObject()));
    return this;
  }

  /**
   * Watches a kind whose objects are created for objects of the `for` kind. Events for such an object cause its owner
   * to be reconciled.
   */
  owns<T extends KubeObject>(this: ControllerBuilder, kind: Kind<T>, options: OwnsOptions<T> = {}): ControllerBuilder {
    this.#ownedKinds.push(kind);
    const { matchEveryOwner = false, ...watched } = options;
    this.#owned.push((owner) =>
      this.#watchWith(kind, watched, owner)(enqueueRequestForOwner(owner, { onlyController: !matchEveryOwner })),
    );
    return this;
  }

  /** Watches any other kind, with a handler that queues requests for its events. */
  watches<T extends KubeObject>(kind: Kind<T>, handler: EventHandler<T, R>, options: WatchesOptions<T> = {}): this {
    this.#watches.push(this.#watchWith(kind, options)(handler));
    return this;
  }

  /** Adds a source of requests. {@link withEventFilter} does not apply to it. */
  watchesRawSource(source: Source<R>): this {
    this.#watches.push(() => source);
    return this;
  }

  /** Adds a predicate for the events of all watched kinds. */
  withEventFilter(predicate: Predicate): this {
    this.#filters.push(predicate);
    return this;
  }

  /**
   * Declares a permission that the reconciler needs but tests do not exercise, for the program's roles and permission checks. Permissions
   * to read watched kinds are implied.
   *
   * @throws {Error} if no verb is given, or a verb is a wildcard
   */
  needs(kind: Kind, verbs: readonly PermissionVerb[], options: PermissionOptions = {}): this {
    this.#permissions.push(permissionFor(kind, verbs, options));
    return this;
  }

  /** Sets controller options. Later calls override earlier ones. @see controller-runtime pkg/builder WithOptions */
  withOptions(settings: BuilderOptions<R>): this {
    this.#settings = { ...this.#settings, ...settings };
    return this;
  }

  /**
   * Sets the controller's name, which is a label of its metrics and must be unique in the manager. Default: the `for` kind in lower case.
   */
  named(name: string): this {
    this.#name = name;
    return this;
  }

  /**
   * Creates the controller and adds it to the manager.
   *
   * @throws {Error} if nothing is watched, `owns` is used without `for`, or the controller's name is missing or already in use
   */
  complete(reconcile: Reconciler<R>): Controller<R> {
    if (this.#mistake) throw new Error(this.#mistake);
    if (!reconcile) throw new Error("must provide a non-nil reconciler");
    const kind = this.#kind;
    if (!kind && this.#owned.length > 0) throw new Error("owns(...) can only be used together with for(...)");
    if (!kind && this.#watches.length === 0)
      throw new Error(
        "there are no watches configured, controller will never get triggered. Use for(), owns(), watches() or watchesRawSource() to set them up",
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
      cacheSyncTimeoutMs: own.cacheSyncTimeoutMs ?? defaults.cacheSyncTimeoutMs,
    };
    const { sharded = false } = settings;
    if (sharded && !kind)
      throw new Error(`controller ${name} is sharded, so it must use for(...): its requests must be keys`);
    const sharding = sharded ? manager.shards : undefined;
    const runsEverywhere = sharding !== undefined || settings.needLeaderElection === false;
    if (!settings.skipNameValidation) manager.claimName(name);
    const owned = kind ? this.#owned.map((watch) => watch(kind)) : [];
    return new Controller({
      ...settings,
      name,
      reconcile,
      sources: [...this.#watches, ...owned].map((watch) => watch(this.#filters, sharding !== undefined)),
      described: { for: kind, owns: this.#ownedKinds, permissions: this.#permissions },
      sharding,
      client: manager.clientFor(runsEverywhere ? "others" : "leaderElection"),
      mapper: manager.mapper,
      cache: manager.cache,
      liveReader: manager.apiReader,
      recorder: manager.recorderFor(name),
      logger: kind ? logger.child({ controllerGroup: kind.group, controllerKind: kind.kind }) : logger,
      clock: manager.clock,
      metrics: manager.controllerMetrics,
      queueMetrics: manager.queueMetrics,
      recording: manager.recording,
    });
  }

  /** @param requested kind to whose objects the handler maps those of the same namespace. Default: unknown. */
  #watchWith<T extends KubeObject>(
    kind: Kind<T>,
    options: WatchesOptions<T>,
    requested?: Kind,
  ): (handler: EventHandler<T, R>) => Watch<R> {
    const { predicates = [], indexes = {}, isDefinedHere = true } = options;
    const { cache } = this.#manager;
    for (const [field, extract] of Object.entries(indexes))
      this.#prepare.push(() => cache.indexField(kind, field, extract));
    const isOfNamespace = requested?.scope === "Namespaced";
    return (handler) => (filters, isSharded) =>
      kindSource(cache, kind, {
        handler,
        predicates: [...filters, ...predicates],
        isDefinedHere,
        isPartial: isSharded && isOfNamespace,
      });
  }
}

/** Returns a builder for a controller that the given manager will run. */
export function controllerManagedBy<R = Request>(manager: Manager): ControllerBuilder<R> {
  return new ControllerBuilder<R>(manager);
}

/** Removes `undefined` settings, which count as not set. */
function defined<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
