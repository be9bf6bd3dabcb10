import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import type { CachedReadWriter, Fence, Reader, RefusedWrite, Writer } from "@kubewright/client";
import { type Clock, systemRandom } from "@kubewright/clock";
import {
  Elector,
  type ElectorMetrics,
  type LeaderElectionRecord,
  LeaseLock,
  type LockEvents,
  NotLeadingError,
  type ResourceLock,
  type ShardBy,
  ShardCoordinator,
  type ShardCoordinatorOptions,
  type ShardsInspection,
  type ShardTerm,
} from "@kubewright/leader-election";
import { errorText, type Logger } from "@kubewright/log";
import type { Runnable } from "./runnable.ts";

/**
 * Options for leader election: its Lease and timing. `leaseDurationMs` must exceed `renewDeadlineMs`, which must exceed
 * 1.2 times `retryPeriodMs`.
 *
 * @see controller-runtime pkg/manager Options, client-go tools/leaderelection LeaderElectionConfig
 */
export interface LeaderElectionOptions {
  /** Name of the Lease. */
  readonly id: string;
  /** Namespace of the Lease. Default: this pod's namespace, from `POD_NAMESPACE` or its service account. */
  readonly namespace?: string | undefined;
  /** Identity of this process. Default: the host name and a random part. */
  readonly identity?: string | undefined;
  /** Duration of the Lease in milliseconds. Default 15,000. */
  readonly leaseDurationMs?: number | undefined;
  /** Deadline for renewing the Lease, in milliseconds. Default 10,000. */
  readonly renewDeadlineMs?: number | undefined;
  /** Interval between attempts to acquire or renew the Lease, in milliseconds. Default 2,000. */
  readonly retryPeriodMs?: number | undefined;
  /**
   * True to release the Lease at the end, so that the next leader need not wait for it to expire. The Lease is not
   * released if the leader's work does not end in time. Default false, or true with `run`.
   */
  readonly releaseOnCancel?: boolean | undefined;
  /** Labels for the Lease. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Lock to use instead of a Lease. */
  readonly lock?: ResourceLock | undefined;
}

/**
 * Options for sharding, in which all replicas share the work of controllers that set `sharded`. Options that are not
 * set default to those in the manager's `leaderElection` option or, without it, to the leader election defaults.
 */
export interface ShardingOptions
  extends Pick<
    LeaderElectionOptions,
    "namespace" | "identity" | "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs"
  > {
  /**
   * Number of shards, from 1 to 1,000: a few times the number of replicas. It must be the same in all replicas. To change it, stop all
   * replicas, and delete the Lease `<id>-shards`.
   */
  readonly shards: number;
  /**
   * Part of a request that determines its shard: the whole key, or its namespace. Requests without a namespace are divided by their name. With
   * `namespace`, the manager's own cache keeps only the namespaces of the held shards, for kinds of which sharded controllers need no others.
   * Default `key`.
   */
  readonly shardBy?: ShardBy | undefined;
  /** Prefix of the Leases' names, at most 63 characters. Default: the ID of leader election. */
  readonly id?: string | undefined;
}

interface ElectorParts {
  /** Returns true once the leader's work has ended. */
  readonly mayRelease: () => boolean;
  readonly client: Pick<Reader & Writer, "get" | "create" | "update">;
  readonly events: LockEvents;
  readonly metrics: ElectorMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** Creates the elector. @throws {Error} if the ID is missing, or the durations are inconsistent */
export function makeElector(
  options: LeaderElectionOptions,
  { client, events, mayRelease, ...parts }: ElectorParts,
): Elector {
  const { id, namespace, identity = electionIdentity(), labels, lock, ...durations } = options;
  if (!id && !lock) throw new Error("leaderElection.id must be configured");
  const made =
    lock ??
    new LeaseLock({
      client,
      namespace: namespace ?? (() => namespaceOfThisPod()),
      name: id,
      identity,
      events,
      ...(labels ? { labels } : {}),
    });
  return new Elector({ ...durations, ...parts, name: id, lock: new KeptLock(made, mayRelease) });
}

/** Returns an identity for this process: the host name and a random part. */
const electionIdentity = (): string => `${hostname()}_${systemRandom.uuid()}`;

/** Thrown if no namespace is set for the Lease and this process does not run in a pod. */
export class LeaseNamespaceError extends Error {
  override readonly name = "LeaseNamespaceError";
}

/**
 * Returns the Lease's namespace, or `undefined` if the lock is not a Lease.
 *
 * @throws {LeaseNamespaceError} if no namespace is set and this process does not run in a pod
 */
export const leaseNamespace = ({ lock, namespace }: LeaderElectionOptions): string | undefined =>
  lock ? undefined : (namespace ?? namespaceOfThisPod());

/**
 * Returns the namespace from the downward API or else from the service account, in the same order as client-go.
 *
 * @param purpose name of the option in messages
 * @throws {LeaseNamespaceError} if this process does not run in a pod
 */
export function namespaceOfThisPod(purpose: "leaderElection" | "sharding" = "leaderElection"): string {
  const { POD_NAMESPACE: podNamespace } = process.env;
  if (podNamespace) return podNamespace;
  try {
    return readFileSync(namespaceFile, "utf8").trim();
  } catch (cause) {
    throw new LeaseNamespaceError(
      `unable to find leader election namespace: not running in-cluster, please specify ${purpose}.namespace`,
      { cause },
    );
  }
}

type FencingElector = Pick<Elector, "assertLeading" | "leadership">;

/**
 * Allows writes while this process is the leader. The elector is set later because its own client must not be fenced.
 */
export class LeaderFence implements Fence {
  /** Called when a write was cancelled after it was sent. */
  abandoned: (() => void) | undefined;
  #elector: FencingElector | undefined;

  /** Must be called before the first write. */
  useElector(elector: FencingElector): void {
    this.#elector = elector;
  }

  check(): void {
    this.#required.assertLeading();
  }

  get signal(): AbortSignal {
    return this.#required.leadership;
  }

  refused({ what, wasSent }: RefusedWrite, cause: unknown): Error {
    const fate = wasSent ? "cancelled in progress, so the server may have processed it" : "not sent";
    return new NotLeadingError(`${what}: ${fate}: ${errorText(cause)}`, { cause });
  }

  get #required(): FencingElector {
    if (!this.#elector)
      throw new Error("the manager is not constructed yet; use it after its constructor has returned");
    return this.#elector;
  }
}

/** A lock that can be released only after `mayRelease` returns true. Until then, other processes must wait for it to expire. */
class KeptLock implements ResourceLock {
  readonly #lock: ResourceLock;
  readonly #mayRelease: () => boolean;

  constructor(lock: ResourceLock, mayRelease: () => boolean) {
    this.#lock = lock;
    this.#mayRelease = mayRelease;
  }

  get identity(): string {
    return this.#lock.identity;
  }

  get description(): string {
    return this.#lock.description;
  }

  get(signal: AbortSignal): Promise<LeaderElectionRecord> {
    return this.#lock.get(signal);
  }

  create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    return this.#lock.create(record, signal);
  }

  async update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    if (record.holderIdentity === "" && !this.#mayRelease())
      throw new Error(
        `${this.description} will not be released before it expires, because the leader's work has not ended`,
      );
    await this.#lock.update(record, signal);
  }

  record(text: string): void {
    this.#lock.record(text);
  }
}

interface ShardsParts
  extends Pick<ShardCoordinatorOptions, "client" | "clock" | "logger" | "metrics" | "onNamespaces"> {
  /** Creates a client whose writes pass a fence. */
  readonly fenced: (fence: Fence) => CachedReadWriter;
}

/** The period during which this replica holds a shard, with a client for the shard's work. */
export class ClientTerm {
  readonly shard: number;
  readonly signal: AbortSignal;
  readonly begin: () => void;
  readonly end: () => void;
  readonly #term: ShardTerm;
  readonly #fenced: ShardsParts["fenced"];
  #client: CachedReadWriter | undefined;

  constructor(term: ShardTerm, fenced: ShardsParts["fenced"]) {
    this.#term = term;
    this.#fenced = fenced;
    this.shard = term.shard;
    this.signal = term.elector.leadership;
    this.begin = term.begin.bind(term);
    this.end = term.end.bind(term);
  }

  get client(): CachedReadWriter {
    if (!this.#client) {
      const fence = new LeaderFence();
      fence.useElector(this.#term.elector);
      fence.abandoned = () => this.#term.abandoned();
      this.#client = this.#fenced(fence);
    }
    return this.#client;
  }
}

/** A manager's shards. Its sharded controllers work on the shards that this replica holds. */
export class Shards {
  /** Runs the coordination with the other replicas. */
  readonly runnable: Runnable;
  readonly join: ShardCoordinator["join"];
  readonly #coordinator: ShardCoordinator;
  readonly #fenced: ShardsParts["fenced"];
  readonly #terms = new WeakMap<ShardTerm, ClientTerm>();

  /** @throws {Error} if the options are invalid, or there is no ID */
  constructor(
    options: ShardingOptions,
    election: LeaderElectionOptions | undefined,
    { fenced, ...parts }: ShardsParts,
  ) {
    const { id = election?.id ?? "", shards, shardBy } = options;
    if (!id) throw new Error("sharding.id must be configured because leaderElection.id is not set");
    const namespace = options.namespace ?? election?.namespace;
    const { identity = election?.identity ?? electionIdentity(), ...others } = options;
    const { leaseDurationMs = election?.leaseDurationMs, renewDeadlineMs = election?.renewDeadlineMs } = others;
    const { retryPeriodMs = election?.retryPeriodMs } = others;
    this.#fenced = fenced;
    this.#coordinator = new ShardCoordinator({
      ...parts,
      ...{ id, shards, shardBy, leaseDurationMs, renewDeadlineMs, retryPeriodMs },
      namespace: () => namespace ?? namespaceOfThisPod("sharding"),
      identity,
    });
    this.join = this.#coordinator.join.bind(this.#coordinator);
    this.runnable = { name: "shards", group: "others", run: (signal) => this.#coordinator.run(signal) };
  }

  /** Returns the term of a request's shard, or `undefined` if this replica must not begin work on the request. */
  termOf(request: string): ClientTerm | undefined {
    const term = this.#coordinator.termOf(request);
    if (!term) return undefined;
    const known = this.#terms.get(term);
    if (known) return known;
    const made = new ClientTerm(term, this.#fenced);
    this.#terms.set(term, made);
    return made;
  }

  /** Numbers of the shards that this replica holds, in ascending order. */
  get held(): readonly number[] {
    return this.#coordinator.held;
  }

  /** Returns the shard of a request. */
  shardOf(request: string): number {
    return this.#coordinator.shardOf(request);
  }

  /** Returns the state of all shards; see `ShardCoordinator.inspect`. */
  inspect(): ShardsInspection {
    return this.#coordinator.inspect();
  }

  /** Checks that this replica takes part; see `ShardCoordinator.check`. */
  check(): string {
    return this.#coordinator.check();
  }
}
