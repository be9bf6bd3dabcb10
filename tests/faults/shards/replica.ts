import { type DeepReadonly, isNotFound, keyOf } from "@kubewright/apimachinery";
import { InformerCache } from "@kubewright/cache";
import { Client, type Fence } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import {
  Controller,
  enqueueRequestForObject,
  type HeldTerm,
  type InformerHandler,
  type InformerProvider,
  kindSource,
  type ReconcileContext,
  type Sharding,
} from "@kubewright/controller";
import { isNotLeadingError, ShardCoordinator, type ShardTerm } from "@kubewright/leader-election";
import { silentLogger } from "@kubewright/log";
import type { Durations } from "../leader/contender.ts";
import type { Wire } from "../leader/lease-server.ts";
import type { Machine } from "../leader/world.ts";
import { ShardConnection, type ShardServer, type Site } from "./shard-server.ts";
import { SiteFeed } from "./site-feed.ts";

export const shards = 5;

/** A planted bug between the shards and the controller that uses them. */
export interface ShardBug {
  /** Running reconciles are not counted, so that a shard is handed over too early. */
  readonly skipsDrain?: boolean | undefined;
  /** Objects of an acquired shard are not delivered again. */
  readonly skipsDelivery?: boolean | undefined;
  /** Writes pass no fence, and reconciles are not cancelled. */
  readonly skipsFence?: boolean | undefined;
  /** A shard counts as held even after it was given up or lost. */
  readonly keepsTerms?: boolean | undefined;
  /** The cache does not learn of the namespaces of acquired shards. */
  readonly skipsNamespaces?: boolean | undefined;
}

/** Division of the sites: by their keys, or by namespaces, with a server that does or does not select them. */
export type Division = "keys" | "namespaces" | "selected namespaces";

export interface ReplicaParts {
  readonly identity: string;
  readonly machine: Machine;
  readonly wire: Wire;
  readonly server: ShardServer;
  readonly durations: Durations;
  readonly random: () => number;
  readonly bug: ShardBug;
  readonly division: Division;
  readonly problem: (text: string) => void;
}

/** One process: a sharded controller, the coordination of its shards, and its informer. */
export class Replica {
  readonly identity: string;
  readonly machine: Machine;
  readonly wire: Wire;
  readonly coordinator: ShardCoordinator;
  readonly ended: Promise<void>;
  hasEnded = false;
  lostShards = 0;
  /** Time until which its reconciles may not have noticed that they must stop, because the machine did not run. */
  excusedUntil = 0;
  /** Keys of its running reconciles. */
  readonly running = new Set<string>();
  readonly #parts: ReplicaParts;
  readonly #stop = new AbortController();
  readonly #informer: SiteInformer;
  readonly #terms = new Map<number, ShardTerm>();
  readonly #unstuck = Promise.withResolvers<void>();
  #hangs = false;

  constructor(parts: ReplicaParts) {
    const { identity, machine, wire, server, durations, random } = parts;
    this.#parts = parts;
    this.identity = identity;
    this.machine = machine;
    this.wire = wire;
    const check = (what: string, path: string): void => this.#mustHold(what, path);
    const writes = {
      sent: (path: string) => check("sends", path),
      accepted: (path: string) => check("has accepted", path),
    };
    const client = new Client({ connection: new ShardConnection(server, wire, writes), clock: machine });
    this.coordinator = new ShardCoordinator({
      ...durations,
      ...{ client, namespace: "ns", id: "sites", identity, shards, clock: machine, random },
      metrics: { held: () => {}, moved: (move) => this.#noteMove(move) },
      shardBy: parts.division === "keys" ? "key" : "namespace",
      onNamespaces: (namespaces) => {
        if (!parts.bug.skipsNamespaces) this.#informer.keepOnly(namespaces);
      },
    });
    const { division } = parts;
    this.#informer =
      division === "keys"
        ? new LaggingInformer(server, machine, random)
        : new PartialCache(new SiteFeed(server, machine, random, division === "selected namespaces"), machine, random);
    const controller = new Controller({
      name: "sites",
      client,
      clock: machine,
      sharding: this.#sharding(client),
      maxConcurrentReconciles: 3,
      reconciliationTimeoutMs: 6_000, // a response may be lost
      sources: [kindSource(this.#informer, ConfigMap, { handler: enqueueRequestForObject(), isPartial: true })],
      reconcile: (key, context) => this.#reconcile(key, context),
    });
    this.ended = this.#run(controller);
  }

  get isDead(): boolean {
    return this.hasEnded || this.machine.frozenUntil === Number.POSITIVE_INFINITY;
  }

  /** Number of sites in its cache. */
  get cached(): number {
    return this.#informer.size;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Lets the next reconcile hang, and ignore its signal. */
  stick(): void {
    this.#hangs = true;
  }

  /** Ends the reconcile that hangs. */
  unstick(): void {
    this.#hangs = false;
    this.#unstuck.resolve();
  }

  async #run(controller: Controller): Promise<void> {
    const { signal } = this.#stop;
    const both = [controller.run(signal), this.coordinator.run(signal)];
    try {
      await Promise.all(both);
    } catch (error) {
      if (!isNotLeadingError(error)) this.#parts.problem(`${this.identity} ended with ${error}`);
      this.machine.stall(Number.POSITIVE_INFINITY); // the process exits
    } finally {
      this.hasEnded = true;
      this.#informer.stop();
    }
  }

  /** What a manager does for its controllers. */
  #sharding(client: Client): Sharding {
    const { bug } = this.#parts;
    const made = new WeakMap<ShardTerm, HeldTerm>();
    const heldTerm = (term: ShardTerm): HeldTerm => {
      const { elector, shard } = term;
      const fence: Fence = {
        check: () => elector.assertLeading(),
        signal: elector.leadership,
        abandoned: () => term.abandoned(),
        refused: ({ what }, cause) => new Error(`${what} was refused`, { cause }),
      };
      const fenced = bug.skipsFence ? client : client.with({ fence });
      const signal = bug.skipsFence ? new AbortController().signal : elector.leadership;
      const count = (call: () => void) => () => bug.skipsDrain || call();
      const held = { shard, signal, client: fenced, begin: count(() => term.begin()), end: count(() => term.end()) };
      made.set(term, held);
      return held;
    };
    return {
      termOf: (key) => {
        const shard = this.coordinator.shardOf(key);
        let term = this.coordinator.termOf(key);
        if (term) this.#terms.set(shard, term);
        else if (bug.keepsTerms) term = this.#terms.get(shard);
        return term && (made.get(term) ?? heldTerm(term));
      },
      join: (worker) => this.coordinator.join(bug.skipsDelivery ? { acquired: () => {} } : worker),
    };
  }

  async #reconcile(key: string, { client, signal }: ReconcileContext): Promise<void> {
    const { machine, random } = this.#parts;
    this.running.add(key);
    try {
      const hangs = this.#hangs;
      this.#hangs = false;
      if (hangs) await this.#unstuck.promise;
      const wanted = (await this.#read(key, signal))?.data.wanted;
      const ignoresSignal = random() < 0.2;
      await machine.sleep(random() * (random() < 0.2 ? 3_000 : 600), ignoresSignal ? undefined : signal);
      if (!ignoresSignal) signal.throwIfAborted();
      if (wanted !== undefined) await client.patch(ConfigMap, key, { data: { done: wanted } }, { signal });
    } finally {
      this.running.delete(key);
    }
  }

  async #read(key: string, signal: AbortSignal): Promise<DeepReadonly<Site> | undefined> {
    try {
      return await this.#informer.get(key, signal);
    } catch (error) {
      if (isNotFound(error)) this.#parts.problem(`${this.identity} reads ${key} as missing`);
      throw error;
    }
  }

  #noteMove(move: "acquired" | "released" | "lost"): void {
    if (move === "lost") this.lostShards++;
  }

  #mustHold(what: string, path: string): void {
    const [, namespace = "", name = ""] = /namespaces\/([^/]+)\/configmaps\/([^/]+)/.exec(path) ?? [];
    const shard = this.coordinator.shardOf(`${namespace}/${name}`);
    const holder = this.#parts.server.holderOf(shard);
    if (holder !== this.identity)
      this.#parts.problem(`${this.identity} ${what} a write while ${holder || "nobody"} holds shard ${shard}`);
  }
}

/** What a replica reads sites from. */
interface SiteInformer extends InformerProvider {
  readonly size: number;
  readonly stop: () => void;
  get(key: string, signal: AbortSignal): Promise<DeepReadonly<Site> | undefined>;
  keepOnly: InformerCache["keepOnly"];
}

/** A cache of the sites in the namespaces of the held shards. */
class PartialCache implements SiteInformer {
  readonly getInformer: InformerProvider["getInformer"];
  readonly keepOnly: InformerCache["keepOnly"];
  readonly #cache: InformerCache;
  readonly #stop = new AbortController();

  constructor(client: SiteFeed, clock: Machine, random: () => number) {
    this.#cache = new InformerCache({
      client,
      clock,
      random,
      useWatchList: false,
      stallMs: Infinity,
      logger: silentLogger,
    });
    this.#cache.keepOnly({ has: () => false, extent: "none" });
    this.getInformer = this.#cache.getInformer.bind(this.#cache);
    this.keepOnly = this.#cache.keepOnly.bind(this.#cache);
    void this.#cache.run(this.#stop.signal);
  }

  get size(): number {
    return this.#cache.inspect().reduce((sum, { objects }) => sum + objects, 0);
  }

  readonly stop = (): void => this.#stop.abort();

  async get(key: string, signal: AbortSignal): Promise<DeepReadonly<Site>> {
    const found: unknown = await this.#cache.get(ConfigMap, key, { signal });
    return found as DeepReadonly<Site>;
  }
}

/** An informer of all sites, whose events arrive late, but in order. */
class LaggingInformer implements SiteInformer {
  readonly stop: () => void;
  readonly #known = new Map<string, Site>();
  readonly #handlers = new Set<InformerHandler<never>>();
  readonly #machine: Machine;

  constructor(server: ShardServer, machine: Machine, random: () => number) {
    this.#machine = machine;
    for (const site of server.sites) this.#known.set(keyOf(site), site);
    let lastAt = 0;
    this.stop = server.listen((site) => {
      lastAt = Math.max(lastAt, machine.monotonic() + random() * (random() < 0.1 ? 4_000 : 100));
      machine.after(lastAt - machine.monotonic(), () => this.#deliver(site));
    });
  }

  get size(): number {
    return this.#known.size;
  }

  keepOnly(): void {} // it always keeps all sites

  async get(key: string): Promise<DeepReadonly<Site> | undefined> {
    return this.#known.get(key);
  }

  getInformer: InformerProvider["getInformer"] = () => ({
    addHandler: (handler) => {
      const existing = [...this.#known.values()];
      const delivered = this.#machine.sleep(5).then(() => {
        for (const site of existing) void handler.added(site as never, true);
        this.#handlers.add(handler as InformerHandler<never>);
        return true;
      });
      return {
        synced: () => delivered,
        remove: async () => void this.#handlers.delete(handler as InformerHandler<never>),
      };
    },
  });

  #deliver(site: Site): void {
    const key = keyOf(site);
    const old = this.#known.get(key);
    this.#known.set(key, site);
    for (const handler of this.#handlers)
      void (old ? handler.updated(old as never, site as never) : handler.added(site as never, false));
  }
}
