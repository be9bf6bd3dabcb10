import type { Clock } from "@kubewright/clock";
import { type FailureRecord, type History, type KeyRecord, keyText, type ReconcileRecord } from "./history.ts";
import type { HeldRequest } from "./read-your-own-writes.ts";
import type { Cause } from "./request.ts";
import type { RequestQueue } from "./request-queue.ts";

/** Details to include in an inspection. */
export interface ControllerInspectionDetail {
  /** Maximum number of queue rows and of reconciles. */
  readonly limit: number;
  /** Text that returned keys must contain. */
  readonly search?: string | undefined;
  /** The only key to return. The inspection then also contains the known state of this key. */
  readonly key?: string | undefined;
  /** State that returned rows must have; see {@link QueueRow.state}. */
  readonly state?: string | undefined;
}

/** A key that is queued, being reconciled, held back or failing. */
export interface QueueRow {
  readonly key: string;
  readonly state: "running" | "held" | "ready" | "delayed" | "failing" | "paused";
  /** Time in this state in milliseconds; for `delayed`, the remaining time. Absent if unknown. */
  readonly forMs?: number | undefined;
  readonly priority?: number | undefined;
  readonly causes: readonly Cause[];
  /** Number of times that the rate limiter has delayed the request since its last success. */
  readonly requeues: number;
  /** The program's own writes that the cache does not show yet. */
  readonly unseen?: readonly string[] | undefined;
  readonly failure?: FailureRecord | undefined;
  /** Name of the user who paused the key. If a reconcile is in progress, the key's state remains `running` until the reconcile ends. */
  readonly pausedBy?: string | undefined;
}

/** State of one key. */
export interface KeyInspection extends KeyRecord {
  /** The reconcile that has been running longest, if all workers are busy. Other requests wait until a worker is free. */
  readonly blockedBy?: { readonly key: string; readonly forMs: number } | undefined;
}

/** A controller's current state. */
export interface ControllerInspection {
  /** Number of ready requests that are not being reconciled. */
  readonly queueLength: number;
  readonly hasStarted: boolean;
  /** True if the controller is running and its sources have delivered the objects that existed at the start. */
  readonly hasSynced: boolean;
  /** True while handlers are processing events, which may add requests. Events waiting for a retry do not count. */
  readonly isHandling: boolean;
  /** True if the controller reconciles only the requests of the shards that its replica holds. */
  readonly isSharded: boolean;
  readonly maxConcurrentReconciles: number;
  /** Number of reconciles in progress. */
  readonly running: number;
  /** Number of requests waiting until the cache shows the program's own writes. */
  readonly held: number;
  /** Number of keys whose last reconcile failed. */
  readonly failing: number;
  /** Number of keys whose last error was a `TerminalError`, so that they are not retried. They are also counted as failing. */
  readonly gaveUp: number;
  /** Number of keys that are paused. */
  readonly paused: number;
  /** 99th percentile of the durations of recent reconciles in milliseconds. Absent for fewer than 20 reconciles. */
  readonly p99Ms?: number | undefined;
  /** Number of reconciles that have been running for longer than `hungAfterMs`. */
  readonly hung: number;
  /** Duration in milliseconds after which a reconcile probably hangs: the 99th percentile, but at least 30 seconds. */
  readonly hungAfterMs: number;
  /** Descriptions of the sources that have not synced. */
  readonly unsynced: readonly string[];
  /** Totals since the controller was created. */
  readonly totals: { readonly reconciles: number; readonly errors: number; readonly busyMs: number };
  /** Rows of the queue, if details were requested. `total` is the number of matching keys among the examined ones. */
  readonly queue?:
    | { readonly rows: readonly QueueRow[]; readonly total: number; readonly isWhole: boolean }
    | undefined;
  /** Recent reconciles, newest first, if details were requested. */
  readonly reconciles?: readonly ReconcileRecord[] | undefined;
  /** Known state of the requested key. */
  readonly about?: KeyInspection | undefined;
}

/** A key that is not reconciled until it is resumed. */
export interface PausedRequest {
  /** Monotonic milliseconds of the clock. */
  readonly sinceMs: number;
  readonly by: string;
}

export interface InspectedParts<R> {
  readonly queue: RequestQueue<R>;
  /** Start times in monotonic milliseconds of the clock. */
  readonly running: ReadonlyMap<R, number>;
  readonly held: ReadonlyMap<R, HeldRequest>;
  readonly paused: ReadonlyMap<R, PausedRequest>;
  readonly history: History<R>;
  readonly clock: Clock;
}

/** Maximum number of a queue's keys that are examined per response. */
const maxLookedAt = 100_000;
const maxUnseen = 10;
/** Minimum duration after which a reconcile counts as hung. */
const leastHungMs = 30_000;

/** Returns counters that reveal reconciles that hang or have given up. */
export function health<R>({
  running,
  history,
  clock,
}: InspectedParts<R>): Pick<ControllerInspection, "gaveUp" | "p99Ms" | "hung" | "hungAfterMs"> {
  const { p99Ms } = history;
  const hungAfterMs = Math.max(leastHungMs, p99Ms ?? 0);
  const now = clock.monotonic();
  let [gaveUp, hung] = [0, 0];
  for (const sinceMs of running.values()) if (now - sinceMs > hungAfterMs) hung++;
  for (const { isTerminal } of history.failing.values()) if (isTerminal) gaveUp++;
  return { gaveUp, hung, hungAfterMs, ...(p99Ms === undefined ? {} : { p99Ms }) };
}

/**
 * Returns the state of a key, including the request that blocks it, if any.
 *
 * @param maxRunning maximum number of concurrent reconciles
 */
export function aboutKey<R>(
  { running, history, clock }: InspectedParts<R>,
  key: string,
  maxRunning: number,
): KeyInspection {
  const [longest] = running; // in the order in which they began
  const isFull = longest !== undefined && running.size >= maxRunning && keyText(longest[0]) !== key;
  const blockedBy = isFull ? { blockedBy: { key: keyText(longest[0]), forMs: clock.monotonic() - longest[1] } } : {};
  return { ...history.of(key), ...blockedBy };
}

/** Returns the rows of a queue: first the running and held requests, then the failing and then the waiting ones. */
export function queueRows<R>(
  parts: InspectedParts<R>,
  detail: ControllerInspectionDetail,
): ControllerInspection["queue"] {
  const rows: QueueRow[] = [];
  const seen = new Set<R>();
  let total = 0;
  let looked = 0;
  for (const [request, state, rowOf] of candidates(parts)) {
    if (++looked > maxLookedAt) return { rows, total, isWhole: false };
    if (seen.has(request) || !matches(keyText(request), detail)) continue;
    seen.add(request);
    if (detail.state !== undefined && detail.state !== state) continue;
    total++;
    if (rows.length < detail.limit) rows.push(rowOf());
  }
  return { rows, total, isWhole: true };
}

export function recentReconciles<R>(history: History<R>, detail: ControllerInspectionDetail): ReconcileRecord[] {
  const records: ReconcileRecord[] = [];
  for (const record of history.recent()) {
    if (records.length >= detail.limit) break;
    if (!matches(record.key, detail)) continue;
    records.push(detail.key === undefined ? record : { ...record, causes: history.withChanges(record.causes) });
  }
  return records;
}

function* candidates<R>({
  queue,
  running,
  held,
  paused,
  history,
  clock,
}: InspectedParts<R>): Iterable<readonly [R, QueueRow["state"], () => QueueRow]> {
  const now = clock.monotonic();
  const common = (request: R) => {
    const failure = history.failing.get(request);
    const own = queue.causesOf(request);
    const causes = own.length > 0 ? own : (failure?.causes ?? []);
    return { key: keyText(request), causes, requeues: queue.numRequeues(request), failure };
  };
  for (const [request, sinceMs] of running) {
    const by = paused.get(request)?.by;
    const pausedBy = by === undefined ? {} : { pausedBy: by };
    yield [request, "running", () => ({ ...common(request), state: "running", forMs: now - sinceMs, ...pausedBy })];
  }
  for (const [request, { sinceMs, by }] of paused)
    yield [request, "paused", () => ({ ...common(request), state: "paused", forMs: now - sinceMs, pausedBy: by })];
  for (const [request, { sinceMs, unseen }] of held) {
    const names = unseen.slice(0, maxUnseen).map(({ kind, key }) => `${kind.kind} ${key}`);
    yield [request, "held", () => ({ ...common(request), state: "held", forMs: now - sinceMs, unseen: names })];
  }
  const dueOf = new Map<R, number | undefined>();
  if (history.failing.size > 0)
    for (const { item, dueMs } of queue.waiting?.() ?? []) if (history.failing.has(item)) dueOf.set(item, dueMs);
  for (const request of history.failing.keys()) {
    const dueMs = dueOf.get(request);
    const due = dueMs === undefined ? {} : { forMs: dueMs - now };
    yield [request, "failing", () => ({ ...common(request), state: "failing", ...due })];
  }
  for (const { item, priority, dueMs, readySinceMs } of queue.waiting?.() ?? []) {
    const [state, forMs] =
      dueMs === undefined
        ? (["ready", readySinceMs === undefined ? undefined : now - readySinceMs] as const)
        : (["delayed", dueMs - now] as const);
    yield [item, state, () => ({ ...common(item), priority, state, forMs })];
  }
}

const matches = (text: string, { search, key }: ControllerInspectionDetail): boolean =>
  (key === undefined || text === key) && (!search || text.includes(search));
