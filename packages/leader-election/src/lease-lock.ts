import { type DeepReadonly, mutableCopy } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { Lease } from "@kubewright/client/kinds";
import { rfc3339Micro } from "@kubewright/clock";
import type { LeaderElectionRecord, ResourceLock } from "./resource-lock.ts";

/** Receives changes to a lock as events; for example, the `event` method of a recorder. */
export type LockEvents = (
  lease: Pick<Lease, "apiVersion" | "kind" | "metadata">,
  event: { readonly reason: string; readonly note: string; readonly action: string },
) => void;

/**
 * Options for a {@link LeaseLock}: its Lease and this candidate's identity.
 *
 * @see client-go tools/leaderelection/resourcelock LeaseLock
 */
export interface LeaseLockOptions {
  /** Client that reads from the server instead of a cache. */
  readonly client: Pick<Reader & Writer, "get" | "create" | "update">;
  /** Namespace of the Lease. A function is called on first use. */
  readonly namespace: string | (() => string);
  readonly name: string;
  /** Identity, which must be unique among the candidates: two candidates with the same identity would both lead. */
  readonly identity: string;
  /** Labels that are added to the Lease's own. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Called when this process starts and stops leading. Default: none. */
  readonly events?: LockEvents | undefined;
}

/**
 * A lock based on a `coordination.k8s.io/v1` Lease.
 *
 * @see client-go tools/leaderelection/resourcelock LeaseLock
 */
export class LeaseLock implements ResourceLock {
  readonly identity: string;
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;
  #found: string | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.identity = options.identity;
  }

  get description(): string {
    return `${this.#namespace}/${this.#options.name}`;
  }

  async get(signal: AbortSignal): Promise<LeaderElectionRecord> {
    const { client, name } = this.#options;
    const namespace = this.#namespace;
    const lease = mutableCopy(await client.get(Lease, { namespace, name }, { signal })) as Lease;
    this.#keep(lease, signal);
    return leaseRecord(lease);
  }

  async create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    const { client, name, labels } = this.#options;
    const metadata = { name, namespace: this.#namespace, ...(labels ? { labels: { ...labels } } : {}) };
    this.#keep(await client.create(Lease, { metadata, spec: specOf(record) }, { signal }), signal);
  }

  async update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    const { client, labels } = this.#options;
    const lease = this.#lease;
    if (!lease) throw new Error(`cannot update lease ${this.description}, because it was neither read nor created`);
    const metadata = { ...lease.metadata, ...(labels ? { labels: { ...lease.metadata.labels, ...labels } } : {}) };
    const spec = { ...lease.spec, ...specOf(record) };
    this.#keep(await client.update(Lease, { ...lease, metadata, spec }, { signal }), signal);
  }

  record(text: string): void {
    if (!this.#lease) return;
    const { apiVersion, kind, metadata } = this.#lease;
    this.#options.events?.(
      { apiVersion, kind, metadata },
      { reason: "LeaderElection", action: "LeaderElection", note: `${this.identity} ${text}` },
    );
  }

  get #namespace(): string {
    const { namespace } = this.#options;
    this.#found ??= typeof namespace === "function" ? namespace() : namespace;
    return this.#found;
  }

  /**
   * Stores a response, unless its call was cancelled. Such a response may be older than later reads, so an update must not be based on it.
   */
  #keep(lease: Lease, signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#lease = lease;
  }
}

/** Parses a time. Returns the epoch for an invalid text. */
function timeOf(text: string | undefined): number {
  const ms = Date.parse(text ?? "");
  const [, beyondMs = ""] = /\.\d{3}(\d{1,3})/.exec(text ?? "") ?? [];
  return Number.isNaN(ms) ? 0 : ms + Number(beyondMs.padEnd(3, "0")) / 1_000;
}

function specOf(record: LeaderElectionRecord): NonNullable<Lease["spec"]> {
  return {
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    acquireTime: rfc3339Micro(record.acquireTimeMs),
    renewTime: rfc3339Micro(record.renewTimeMs),
    leaseTransitions: record.leaderTransitions,
    ...(record.preferredHolder ? { preferredHolder: record.preferredHolder } : {}),
    ...(record.strategy ? { strategy: record.strategy } : {}),
  };
}

/** Returns the record stored in a Lease. Absent fields get the values of a Lease without a holder. */
export function leaseRecord({ spec = {} }: DeepReadonly<Pick<Lease, "spec">>): LeaderElectionRecord {
  return {
    holderIdentity: spec.holderIdentity ?? "",
    leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTimeMs: timeOf(spec.acquireTime),
    renewTimeMs: timeOf(spec.renewTime),
    leaderTransitions: spec.leaseTransitions ?? 0,
    ...(spec.preferredHolder ? { preferredHolder: spec.preferredHolder } : {}),
    ...(spec.strategy ? { strategy: spec.strategy } : {}),
  };
}
