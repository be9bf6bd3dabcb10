import {
  ignoreAlreadyExists,
  ignoreNotFound,
  isDns1123Subdomain,
  isForbidden,
  isLabelValue,
  isNotFound,
} from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { Lease, Namespace } from "@kubewright/client/kinds";
import { type Clock, systemClock, systemRandom } from "@kubewright/clock";
import { errorText, type Logger, safeLogger, silentLogger } from "@kubewright/log";
import { Deadline, Elector } from "./elector.ts";
import { type ElectorOptions, electionTimes } from "./elector-options.ts";
import { NotLeadingError } from "./leadership-error.ts";
import { LeaseLock, leaseRecord } from "./lease-lock.ts";
import { type LeaderElectionRecord, type Observed, observe } from "./resource-lock.ts";
import { assignShards, digitsOf, type ShardBy, ShardRanges, shardOf } from "./shards.ts";

/** Metrics for a {@link ShardCoordinator}. */
export interface ShardMetrics {
  /** Called with the number of shards that this replica holds, at the start and after every change. */
  held(shards: number): void;
  /** Called when this replica acquired a shard, released it for another replica or at the end, or lost its Lease. */
  moved(move: "acquired" | "released" | "lost"): void;
}

type Move = Parameters<ShardMetrics["moved"]>[0];

/** State of a shard as seen by a replica. */
export interface ShardInspection {
  readonly shard: number;
  /** Identity of the replica that holds the shard's Lease. Empty if the Lease is free or has expired. */
  readonly holder: string;
  /**
   * - `held`: this replica works on the shard.
   * - `releasing`: this replica begins no more work, and keeps the Lease until its work has ended.
   * - `acquiring`: this replica tries to acquire the Lease.
   * - `elsewhere`: another replica holds the shard.
   * - `free`: no replica holds the shard.
   */
  readonly state: "held" | "releasing" | "acquiring" | "elsewhere" | "free";
  /** Time in this state in milliseconds. Absent if unknown. */
  readonly forMs?: number | undefined;
  /** Number of reconciles of this shard in progress in this replica. */
  readonly running: number;
  /** Identity of the replica to which the shard is moving. Absent if its holder keeps it. */
  readonly next?: string | undefined;
  /** Number of times that another replica has acquired the shard since its Lease was created. */
  readonly transitions: number;
}

/** State of the coordination as seen by a replica. */
export interface ShardsInspection {
  /** Identity of this replica. */
  readonly identity: string;
  /** Identities of the replicas that take part, in alphabetical order. */
  readonly replicas: readonly string[];
  /** All shards, in ascending order. */
  readonly shards: readonly ShardInspection[];
  /** Numbers of shards that this replica has acquired, released and lost. */
  readonly moves: { readonly acquired: number; readonly released: number; readonly lost: number };
  /** Time since the Leases were last read, in milliseconds. Absent if they have not been read. */
  readonly listedMs?: number | undefined;
  /** Error from the last attempt to read the Leases. Absent if it succeeded. */
  readonly error?: string | undefined;
}

/**
 * Options for a {@link ShardCoordinator}: its Leases and timing. The durations have the same meaning as for an
 * `Elector`.
 */
export interface ShardCoordinatorOptions
  extends Pick<
    ElectorOptions,
    "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs" | "clock" | "logger" | "random"
  > {
  /** Client that reads from the server instead of a cache. */
  readonly client: Pick<Reader & Writer, "get" | "list" | "create" | "update" | "delete">;
  /** Namespace of the Leases. A function is called on first use. */
  readonly namespace: string | (() => string);
  /** Prefix of the Leases' names, shared by the replicas: a DNS name of at most 63 characters. */
  readonly id: string;
  /** Identity of this replica, which must be unique: two replicas with the same identity would hold the same shards. */
  readonly identity: string;
  /** Number of shards, from 1 to 1,000. It must be the same in all replicas. */
  readonly shards: number;
  /** Part of the key that determines the shard; see {@link shardOf}. It must be the same in all replicas. Default `key`. */
  readonly shardBy?: ShardBy | undefined;
  /** Default: none. */
  readonly metrics?: ShardMetrics | undefined;
  /**
   * With `shardBy: "namespace"`, called with the namespaces of the shards on which this replica may work: before its workers learn that a
   * shard was acquired, and after the work on a shard has ended, but before its Lease is released.
   */
  readonly onNamespaces?: ((namespaces: ShardNamespaces) => void) | undefined;
}

/** Namespaces of some shards. `KeptNamespaces` of `@kubewright/cache` has these members. */
export interface ShardNamespaces {
  /** Reports whether a namespace belongs to one of the shards. */
  has(namespace: string): boolean;
  /** `none` if there is no shard, `all` if there is every shard. */
  readonly extent: "none" | "some" | "all";
  /**
   * Selector with which a server can select these namespaces. Absent if the shards are not ranges of hashes, because there were fewer than 10
   * namespaces for each shard when the layout was recorded, or the program may not list them.
   */
  readonly shardSelector?: string | undefined;
}

/**
 * The period during which this replica holds a shard. It begins when the replica acquires the shard's Lease, and ends
 * when the replica stops accepting work for the shard or loses the Lease.
 */
export interface ShardTerm {
  readonly shard: number;
  /** Elector of the shard's Lease, for fencing writes. */
  readonly elector: Pick<Elector, "assertLeading" | "leadership">;
  /** Must be called when work on the shard begins. The Lease is released only after all work has ended. */
  begin(): void;
  /** Must be called when the work has ended. */
  end(): void;
  /** Must be called when a write was cancelled after it was sent: it may arrive later, so the shard is not released at once. */
  abandoned(): void;
}

/** A consumer of shards, such as a controller. */
export interface ShardWorker {
  /** Called when this replica has acquired a shard. Work that is already due in this shard must be found now. */
  acquired(shard: number): void;
}

/** Thrown if replicas with another number of shards, or another division, have used the same Leases. */
class ShardLayoutError extends Error {
  override readonly name = "ShardLayoutError";
}

const maxShards = 1_000;
/** Label of all Leases of shards and replicas, with the ID as its value. */
const label = "kubewright.dev/sharding";
const layoutAnnotation = "kubewright.dev/shards";
/** Annotation for the boundaries of the shards, if they are ranges of hashes. */
const rangesAnnotation = "kubewright.dev/shard-ranges";
/** Part of the layout if the shards are ranges. Versions that do not know ranges refuse it. */
const inRanges = " in ranges";
/** Lease durations after which the Lease of a replica that has ended without deleting it is deleted. */
const leftBehind = 4;

/**
 * Divides shards among the replicas of a program. No leader is needed: every replica renews its own Lease, lists all
 * Leases once per retry period, and computes the same assignment from them. A shard's Lease determines which replica
 * holds the shard.
 *
 * Guarantees, on the assumptions of {@link Elector}:
 * - A shard has at most one holder. Another replica can acquire the shard's Lease only after the holder's work on the
 *   shard has ended, or after the Lease has expired.
 * - As long as a replica is ready, every shard has a holder. The shards of a crashed replica have new holders after the
 *   lease duration and two retry periods.
 * - The numbers of shards that two replicas hold differ by at most one. No more shards move than this requires.
 * - If a Lease is lost and work on its shard is still in progress when another replica may acquire the shard, {@link
 *   run} rejects, so that the process ends.
 */
export class ShardCoordinator {
  readonly #options: ShardCoordinatorOptions;
  readonly #times: ReturnType<typeof electionTimes>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #shards: (HeldShard | undefined)[];
  readonly #seenShards: (Observed | undefined)[];
  readonly #seenMembers = new Map<string, Observed>();
  /** Workers, with true for those that are ready. */
  readonly #workers = new Map<ShardWorker, boolean>();
  readonly #failure = Promise.withResolvers<never>();
  #wake: () => void = () => {};
  #members: ReadonlySet<string> = new Set();
  #isLaidOut = false;
  #ranges: ShardRanges | undefined;
  #listedAt: number | undefined;
  #lastError: unknown;
  /** Replica that should hold each shard, computed from the Leases that were last read. */
  #targets: readonly (string | undefined)[] = [];
  readonly #moves = { acquired: 0, released: 0, lost: 0 };

  /** @throws {Error} if the options are invalid */
  constructor(options: ShardCoordinatorOptions) {
    const { shards, shardBy = "key", id, identity } = options;
    if (!Number.isInteger(shards) || shards < 1 || shards > maxShards)
      throw new RangeError(`shards must be a whole number from 1 to ${maxShards}, got ${shards}`);
    if (shardBy !== "key" && shardBy !== "namespace")
      throw new Error(`shardBy must be "key" or "namespace", got ${JSON.stringify(shardBy)}`);
    const wrong = id ? [...isDns1123Subdomain(id), ...isLabelValue(id)][0] : "it is empty";
    if (wrong !== undefined) throw new Error(`the sharding ID "${id}" cannot be used in Lease names: ${wrong}`);
    if (!identity) throw new Error("the sharding identity is empty");
    this.#options = options;
    this.#times = electionTimes(options);
    this.#clock = options.clock ?? systemClock;
    this.#log = safeLogger(options.logger ?? silentLogger);
    this.#shards = Array(shards).fill(undefined);
    this.#seenShards = Array(shards).fill(undefined);
    this.#failure.promise.catch(() => {}); // handled by `run`
  }

  /**
   * Returns the shard of a key. With `shardBy: "namespace"`, it may depend on the Lease in which the division is recorded, so it is not final
   * before a shard is held.
   */
  shardOf(key: string): number {
    const { shards, shardBy } = this.#options;
    const slash = this.#ranges ? key.indexOf("/") : -1;
    if (this.#ranges && slash >= 0) return this.#ranges.shardOf(key.slice(0, slash));
    return shardOf(key, shards, shardBy);
  }

  /** Returns the term of a key's shard, or `undefined` if work on it must not begin in this replica. */
  termOf(key: string): ShardTerm | undefined {
    const shard = this.#shards[this.shardOf(key)];
    return shard?.isOpen ? shard : undefined;
  }

  /** Numbers of the shards that this replica holds and works on, in ascending order. */
  get held(): readonly number[] {
    return this.#shards.flatMap((shard, number) => (shard?.isOpen ? number : []));
  }

  /**
   * Checks that this replica takes part: its workers are ready, and it has read the Leases. Does not fail during an outage of the API server.
   *
   * @returns a note about the shards that it holds
   * @throws {Error} if it does not take part yet
   */
  check(): string {
    if (this.#workers.size === 0) return "no controller is sharded";
    if (!this.#isReady) throw new Error("a sharded controller has not synced");
    const trouble = this.#lastError === undefined ? "" : `the Leases cannot be read: ${errorText(this.#lastError)}`;
    if (this.#listedAt === undefined) throw new Error(trouble || "the Leases have not been read yet");
    const note = `holds ${this.held.length} of ${this.#shards.length} shards; replicas: ${this.#members.size}`;
    return trouble ? `${note}; ${trouble}` : note;
  }

  /** Returns the current state. Everything about other replicas is as of the last time that the Leases were read. */
  inspect(): ShardsInspection {
    const now = this.#clock.monotonic();
    const [error, listedAt] = [this.#lastError, this.#listedAt];
    return {
      identity: this.#options.identity,
      replicas: [...this.#members].sort(),
      shards: this.#shards.map((_, shard) => this.#inspectShard(shard, now)),
      moves: { ...this.#moves },
      ...(listedAt === undefined ? {} : { listedMs: now - listedAt }),
      ...(error === undefined ? {} : { error: errorText(error) }),
    };
  }

  #inspectShard(shard: number, now: number): ShardInspection {
    const { identity } = this.#options;
    const [held, seen, target] = [this.#shards[shard], this.#seenShards[shard], this.#targets[shard]];
    const listedAt = this.#listedAt ?? now;
    const other = seen && !this.#isFree(shard, listedAt) ? seen.record.holderIdentity : "";
    const own = held?.inspect(now);
    const holder = own && own.state !== "acquiring" ? identity : other;
    const next = target === undefined || target === holder ? {} : { next: target };
    const common = { shard, holder, ...next, transitions: seen?.record.leaderTransitions ?? 0 };
    if (own) return { ...common, ...own };
    if (other) return { ...common, state: "elsewhere", running: 0 };
    return { ...common, state: "free", running: 0, ...(seen ? { forMs: listedAt - freeSince(seen, identity) } : {}) };
  }

  /**
   * Adds a worker. While a worker is not ready, no shards are acquired or given up.
   *
   * @returns functions to call when the worker is ready for work and when it has ended
   */
  join(worker: ShardWorker): { ready(): void; leave(): void } {
    this.#workers.set(worker, false);
    return {
      ready: () => {
        if (!this.#workers.has(worker)) return;
        this.#workers.set(worker, true);
        for (const shard of this.held) this.#notify(worker, shard);
        this.#wake();
      },
      leave: () => void this.#workers.delete(worker),
    };
  }

  /**
   * Takes part until the signal aborts. Then waits for the work on each shard, and releases the shards.
   *
   * @throws {Error} if other replicas have used a different number of shards, or a different division
   * @throws {NotLeadingError} if work on a shard has not ended in time after its Lease was lost
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#options.metrics?.held(0);
    const ended = new AbortController();
    const stopping = AbortSignal.any([signal, ended.signal]);
    stopping.addEventListener("abort", () => this.#wake(), { once: true });
    let membership = Promise.resolve();
    try {
      while (!stopping.aborted && !this.#isReady) await this.#pause(undefined);
      membership = this.#keepMembership(stopping);
      await Promise.race([this.#work(stopping), this.#failure.promise]);
    } finally {
      ended.abort();
      const released = Promise.all([membership, ...this.#shards.map((shard) => shard?.giveUp())]);
      // After a failure, work may continue until the process ends, so the process must learn of the failure at once.
      if (signal.aborted) await Promise.race([released, this.#failure.promise]);
    }
  }

  get #isReady(): boolean {
    return this.#workers.size > 0 && [...this.#workers.values()].every(Boolean);
  }

  get #namespace(): string {
    const { namespace } = this.#options;
    return typeof namespace === "function" ? namespace() : namespace;
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { retryPeriodMs, renewDeadlineMs } = this.#times;
    const { random = systemRandom.number } = this.#options;
    while (!signal.aborted) {
      const deadline = new Deadline(this.#clock, renewDeadlineMs / 2, signal);
      try {
        if (!this.#isLaidOut) await this.#checkLayout(deadline);
        const { client, id } = this.#options;
        const options = { namespace: this.#namespace, labels: { [label]: id } };
        const leases = await deadline.within((within) => client.list(Lease, { ...options, signal: within }));
        this.#balance(new Map(leases.map((lease) => [lease.metadata.name, leaseRecord(lease)])));
        this.#lastError = undefined;
      } catch (err) {
        if (err instanceof ShardLayoutError) throw err;
        const isNews = this.#lastError === undefined || errorText(this.#lastError) !== errorText(err);
        this.#lastError = err;
        if (!signal.aborted && isNews) this.#log.warn({ err }, "failed to read the shards' Leases; retrying");
      } finally {
        deadline.close();
      }
      if (!signal.aborted) await this.#pause(retryPeriodMs * (0.9 + random() * 0.2));
    }
  }

  /** Records how keys are divided. The first replica creates the record, which then never changes. */
  async #checkLayout(deadline: Deadline): Promise<void> {
    const { client, id, shards, shardBy = "key" } = this.#options;
    const [namespace, name] = [this.#namespace, `${id}-shards`];
    const layout = `${shards} by ${shardBy}`;
    const read = async (): Promise<Readonly<Record<string, string>> | undefined> => {
      const found = await deadline
        .within((signal) => client.get(Lease, { namespace, name }, { signal }))
        .catch(ignoreNotFound);
      return found && (found.metadata.annotations ?? {});
    };
    let known = await read();
    if (known === undefined) {
      const ranges = shardBy === "namespace" ? await this.#newRanges(deadline) : undefined;
      const annotations = ranges
        ? { [layoutAnnotation]: layout + inRanges, [rangesAnnotation]: ranges.text }
        : { [layoutAnnotation]: layout };
      const metadata = { name, namespace, annotations };
      await deadline
        .within((signal) => client.create(Lease, { metadata, spec: {} }, { signal }))
        .catch(ignoreAlreadyExists);
      known = await read();
    }
    const recorded = known?.[layoutAnnotation] ?? "";
    const isInRanges = shardBy === "namespace" && recorded === layout + inRanges;
    if (recorded !== layout && !isInRanges)
      throw new ShardLayoutError(
        `this replica divides its work into shards "${layout}", but Lease ${namespace}/${name} records "${recorded}"; use the same number of ` +
          `shards in all replicas, or stop all replicas, delete this Lease, and start them again`,
      );
    if (isInRanges) {
      const text = known?.[rangesAnnotation] ?? "";
      this.#ranges = ShardRanges.parse(text, shards);
      if (!this.#ranges)
        throw new ShardLayoutError(
          `Lease ${namespace}/${name}: annotation ${rangesAnnotation}: ${JSON.stringify(text.slice(0, 100))} does not contain the ` +
            `boundaries of ${shards} shards; stop all replicas, delete this Lease, and start them again`,
        );
    }
    this.#isLaidOut = true;
  }

  /** Returns ranges that divide the existing namespaces evenly. `undefined` if there are too few, or this program may not list them. */
  async #newRanges(deadline: Deadline): Promise<ShardRanges | undefined> {
    try {
      const namespaces = await deadline.within((signal) => this.#options.client.list(Namespace, { signal }));
      return ShardRanges.of(
        namespaces.map(({ metadata }) => metadata.name),
        this.#options.shards,
      );
    } catch (err) {
      if (!isForbidden(err)) throw err;
      this.#log.info({ err }, "the shards are not ranges of namespaces, because the namespaces cannot be listed");
      return undefined;
    }
  }

  #reportNamespaces(): void {
    const { onNamespaces, shardBy, shards } = this.#options;
    if (!onNamespaces || shardBy !== "namespace") return;
    const kept = this.#shards.flatMap((shard, number) => (shard?.isWorkedOn ? number : []));
    const numbers = new Set(kept);
    const isSelectable = this.#ranges && kept.length > 0 && kept.length < shards;
    onNamespaces({
      has: (namespace) => numbers.has(this.shardOf(`${namespace}/`)),
      extent: kept.length === 0 ? "none" : kept.length === shards ? "all" : "some",
      ...(isSelectable ? { shardSelector: this.#ranges?.selectorOf(kept) } : {}),
    });
  }

  /** Keeps this replica's own Lease, by which the others know that it takes part, and deletes it at the end. */
  async #keepMembership(signal: AbortSignal): Promise<void> {
    const { client, identity } = this.#options;
    const name = this.#memberName(identity);
    while (!signal.aborted) {
      const elector = this.#elector(name, { logger: this.#log });
      await elector
        .run(signal)
        .catch((err) => this.#log.warn({ err }, "lost this replica's Lease; acquiring it again"));
    }
    const deadline = new Deadline(this.#clock, this.#times.renewDeadlineMs / 2);
    await deadline
      .within((within) => client.delete(Lease, { namespace: this.#namespace, name }, { signal: within }))
      .catch((err) => {
        if (!isNotFound(err)) this.#log.warn({ err }, "failed to delete this replica's Lease; it will expire");
      })
      .finally(() => deadline.close());
  }

  #memberName(identity: string): string {
    return `${this.#options.id}-replica-${digitsOf(identity)}`;
  }

  #elector(name: string, options: Partial<ElectorOptions>): Elector {
    const { client, id, identity, random } = this.#options;
    const labels = { [label]: id };
    const lock = new LeaseLock({ client, namespace: this.#namespace, name, identity, labels });
    return new Elector({ ...this.#times, clock: this.#clock, random, lock, ...options });
  }

  /** Gives up shards that belong to others, and competes for free shards that belong to this replica. */
  #balance(byName: ReadonlyMap<string, LeaderElectionRecord>): void {
    const { identity } = this.#options;
    const now = this.#clock.monotonic();
    // If the Leases could not be read for long, other replicas could not renew theirs. They get the time to do so.
    if (this.#listedAt !== undefined && now - this.#listedAt > this.#times.renewDeadlineMs) this.#seenMembers.clear();
    this.#listedAt = now;
    this.#observeMembers(byName, now);
    const holders = this.#shards.map((_, shard) => {
      const seen = observe(this.#seenShards[shard], byName.get(this.#shardName(shard)), now);
      this.#seenShards[shard] = seen;
      return seen?.record.holderIdentity || undefined;
    });
    this.#targets = assignShards(holders, this.#members);
    const targets = this.#isReady ? this.#targets : [];
    for (const [shard, held] of this.#shards.entries()) {
      if (held && this.#isReady && targets[shard] !== identity) void held.giveUp();
      if (!held && targets[shard] === identity && this.#isFree(shard, now)) this.#compete(shard);
    }
  }

  #observeMembers(byName: ReadonlyMap<string, LeaderElectionRecord>, now: number): void {
    const prefix = this.#memberName("").slice(0, -16);
    const members = new Set<string>();
    for (const name of this.#seenMembers.keys()) if (!byName.has(name)) this.#seenMembers.delete(name);
    for (const [name, record] of byName) {
      if (!name.startsWith(prefix)) continue;
      const seen = observe(this.#seenMembers.get(name), record, now);
      if (seen) this.#seenMembers.set(name, seen);
      const unchangedMs = now - (seen?.at ?? now);
      const durationMs = record.leaseDurationSeconds * 1_000;
      if (record.holderIdentity !== "" && unchangedMs < durationMs) members.add(record.holderIdentity);
      else if (unchangedMs > leftBehind * durationMs) this.#deleteLeftBehind(name);
    }
    this.#members = members;
  }

  /** A replica that continues nevertheless creates its Lease again. */
  #deleteLeftBehind(name: string): void {
    const { client } = this.#options;
    this.#seenMembers.delete(name);
    client
      .delete(Lease, { namespace: this.#namespace, name })
      .catch((err) => this.#log.debug({ err, lease: name }, "failed to delete the Lease of a terminated replica"));
  }

  #shardName(shard: number): string {
    return `${this.#options.id}-shard-${shard}`;
  }

  /** Reports whether nobody else holds a shard. The elector decides; this only avoids hopeless attempts. */
  #isFree(shard: number, now: number): boolean {
    const seen = this.#seenShards[shard];
    return !seen || now >= freeSince(seen, this.#options.identity);
  }

  #compete(shard: number): void {
    // The elector has no logger: lines about the API server would be repeated for every shard.
    const options = { releaseOnCancel: true, observed: this.#seenShards[shard] };
    const elector = this.#elector(this.#shardName(shard), options);
    const { leaseDurationMs, renewDeadlineMs } = this.#times;
    const held = new HeldShard(shard, elector, {
      clock: this.#clock,
      graceMs: leaseDurationMs - renewDeadlineMs,
      changed: (move) => this.#changed(held, move),
      workEnded: () => this.#reportNamespaces(),
      ended: (error) => {
        if (error) this.#failure.reject(error);
        else this.#shards[shard] = undefined;
      },
    });
    this.#shards[shard] = held;
    held.start();
  }

  #changed({ shard, elector }: HeldShard, move: Move | undefined): void {
    const { metrics } = this.#options;
    const held = this.held.length;
    metrics?.held(held);
    if (move === undefined) return;
    this.#moves[move]++;
    metrics?.moved(move);
    const line = { shard, held, replicas: this.#members.size };
    if (move === "lost") this.#log.warn({ ...line, err: elector.leadership.reason }, "lost a shard");
    else this.#log.info(line, `${move} a shard`);
    if (move === "acquired") this.#reportNamespaces();
    if (move === "acquired") for (const worker of this.#workers.keys()) this.#notify(worker, shard);
  }

  #notify(worker: ShardWorker, shard: number): void {
    try {
      worker.acquired(shard);
    } catch (error) {
      this.#failure.reject(error);
    }
  }

  /** Waits until the time has passed or `#wake` is called. */
  #pause(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : this.#clock.after(ms, resolve);
      this.#wake = () => {
        timer?.cancel();
        resolve();
      };
    });
  }
}

/** Returns the monotonic time from which a replica may acquire a Lease, as far as it has observed the Lease. */
function freeSince({ at, record }: Observed, identity: string): number {
  return ["", identity].includes(record.holderIdentity) ? at : at + record.leaseDurationSeconds * 1_000;
}

interface HeldShardParts {
  readonly clock: Clock;
  /** Time after the loss of the Lease, in milliseconds, during which no other replica holds it and sent requests arrive. */
  readonly graceMs: number;
  /** Called when the shard can be worked on, or no longer. `undefined`: it is about to be released. */
  readonly changed: (move: Move | undefined) => void;
  /** Called when no more work of the shard is in progress, before its Lease is released. */
  readonly workEnded: () => void;
  /** Called when the shard may be acquired again, or with an error if its work has not ended in time. */
  readonly ended: (error?: NotLeadingError) => void;
}

/** A shard for which this replica competes, or which it holds, until it has been released or lost. */
class HeldShard implements ShardTerm {
  readonly shard: number;
  readonly elector: Elector;
  readonly #parts: HeldShardParts;
  readonly #stop = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #state: "candidate" | "open" | "closed" = "candidate";
  /** Monotonic milliseconds. */
  #stateSince: number;
  #running = 0;
  #isWorkedOn = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #abandonedAt = Number.NEGATIVE_INFINITY;

  constructor(shard: number, elector: Elector, parts: HeldShardParts) {
    this.shard = shard;
    this.elector = elector;
    this.#parts = parts;
    this.#stateSince = parts.clock.monotonic();
    elector.events.once("elected", () => {
      if (this.#state !== "candidate") return; // given up in the meantime, and released at once
      this.#become("open");
      this.#isWorkedOn = true;
      this.#parts.changed("acquired");
    });
    elector.leadership.addEventListener("abort", () => {
      if (this.#stop.signal.aborted) return;
      this.#become("closed");
      this.#parts.changed("lost");
    });
  }

  /** True from the time when work may begin until the last work has ended. */
  get isWorkedOn(): boolean {
    return this.#isWorkedOn;
  }

  /** True if work may begin. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** @param now monotonic milliseconds */
  inspect(now: number): Pick<ShardInspection, "state" | "forMs" | "running"> {
    const state = ({ candidate: "acquiring", open: "held", closed: "releasing" } as const)[this.#state];
    return { state, forMs: now - this.#stateSince, running: this.#running };
  }

  #become(state: "open" | "closed"): void {
    this.#state = state;
    this.#stateSince = this.#parts.clock.monotonic();
  }

  start(): void {
    void this.#run().then(this.#ended.resolve);
  }

  begin(): void {
    this.#running++;
  }

  end(): void {
    this.#running--;
    if (this.#running === 0) this.#idle?.resolve();
  }

  abandoned(): void {
    this.#abandonedAt = this.#parts.clock.monotonic();
  }

  /** Lets no more work begin, and releases the Lease when all work has ended. Resolves when the Lease has been released or lost. */
  async giveUp(): Promise<void> {
    if (this.#state === "open") {
      this.#become("closed");
      this.#parts.changed(undefined);
      await Promise.race([this.#untilIdle(), this.#ended.promise]);
      await this.#graceAfter(this.#abandonedAt);
      if (this.#running === 0) this.#endWork();
      const isReleased = !this.elector.leadership.aborted;
      this.#stop.abort();
      await this.#ended.promise;
      if (isReleased) this.#parts.changed("released");
    } else if (this.#state === "candidate") {
      this.#become("closed");
      this.#stop.abort();
    }
    await this.#ended.promise;
  }

  async #run(): Promise<void> {
    await this.elector.run(this.#stop.signal).catch(() => {}); // the loss has been reported
    const { clock, graceMs, ended } = this.#parts;
    const late = new AbortController();
    await Promise.race([this.#untilIdle(), clock.sleep(graceMs, late.signal)]);
    late.abort();
    if (this.#running === 0) {
      this.#endWork();
      return ended();
    }
    const what = `work on shard ${this.shard}`;
    ended(
      new NotLeadingError(
        `${what} continues although its Lease was lost ${graceMs} ms ago (reconciles: ${this.#running}); reconcilers must end when their signal aborts`,
      ),
    );
  }

  #endWork(): void {
    if (!this.#isWorkedOn) return;
    this.#isWorkedOn = false;
    this.#parts.workEnded();
  }

  /** Waits until the grace period after an event has passed, or the Lease is lost. */
  async #graceAfter(monotonicMs: number): Promise<void> {
    const { clock, graceMs } = this.#parts;
    const restMs = monotonicMs + graceMs - clock.monotonic();
    if (restMs > 0) await clock.sleep(restMs, this.elector.leadership);
  }

  /** Must be called only when no more work begins. */
  async #untilIdle(): Promise<void> {
    if (this.#running === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }
}
