import type { Clock } from "@kubewright/clock";
import type { HeldRequest } from "../own-writes/held-requests.ts";
import type { Cause } from "../reconcile/cause.ts";
import type { RequestQueue } from "../reconcile/request-queue.ts";
import { type FailureRecord, type Journal, keyText, type ReconcileRecord } from "./journal.ts";

/** What is asked for beside the numbers. */
export interface InspectionDetail {
  /** So many rows of the queue, and so many reconciles. */
  readonly limit: number;
  /** Only keys with this in them. */
  readonly search?: string | undefined;
  /** Only this key. */
  readonly key?: string | undefined;
}

/** A key that is in the queue, or worked on, or held back, or failing. */
export interface QueueRow {
  readonly key: string;
  readonly state: "running" | "held" | "ready" | "delayed" | "failing";
  /** How long it has been in this state; for what is delayed, how long it will be. Absent: not known. */
  readonly forMs?: number | undefined;
  readonly priority?: number | undefined;
  readonly causes: readonly Cause[];
  /** How often the rate limiter has delayed it since it last went well. */
  readonly requeues: number;
  /** What the cache has yet to show of its own writes. */
  readonly unseen?: readonly string[] | undefined;
  readonly failure?: FailureRecord | undefined;
}

/** How a controller is doing right now. */
export interface ControllerInspection {
  /** How many requests are ready and not worked on. */
  readonly queueLength: number;
  readonly hasStarted: boolean;
  /** True if it runs and its sources have handed over what existed at the start. */
  readonly hasSynced: boolean;
  /** True while events are with handlers, which may yet add requests. Events that wait to be retried do not count. */
  readonly isHandling: boolean;
  readonly maxConcurrentReconciles: number;
  /** How many reconciles are under way. */
  readonly running: number;
  /** How many requests wait for the cache to show own writes. */
  readonly held: number;
  /** How many keys failed when they were reconciled last. */
  readonly failing: number;
  /** Since the controller was made. */
  readonly totals: { readonly reconciles: number; readonly errors: number; readonly busyMs: number };
  /** With a detail. `total` counts what matches, as far as that was looked at. */
  readonly queue?:
    | { readonly rows: readonly QueueRow[]; readonly total: number; readonly isWhole: boolean }
    | undefined;
  /** With a detail: the newest first. */
  readonly reconciles?: readonly ReconcileRecord[] | undefined;
}

export interface InspectedParts<R> {
  readonly queue: RequestQueue<R>;
  /** Since when, in the clock's monotonic milliseconds. */
  readonly running: ReadonlyMap<R, number>;
  readonly held: ReadonlyMap<R, HeldRequest<R>>;
  readonly journal: Journal<R>;
  readonly clock: Clock;
}

/** So many keys of a queue are looked at for one answer. */
const mostLookedAt = 100_000;
const mostUnseen = 10;

/** What is worked on or held back comes first, then what failed, then what waits. */
export function queueRows<R>(parts: InspectedParts<R>, detail: InspectionDetail): ControllerInspection["queue"] {
  const rows: QueueRow[] = [];
  const seen = new Set<R>();
  let total = 0;
  let looked = 0;
  for (const [request, rowOf] of candidates(parts)) {
    if (++looked > mostLookedAt) return { rows, total, isWhole: false };
    if (seen.has(request) || !matches(keyText(request), detail)) continue;
    seen.add(request);
    total++;
    if (rows.length < detail.limit) rows.push(rowOf());
  }
  return { rows, total, isWhole: true };
}

export function recentReconciles<R>(journal: Journal<R>, detail: InspectionDetail): ReconcileRecord[] {
  const records: ReconcileRecord[] = [];
  for (const record of journal.recent()) {
    if (records.length >= detail.limit) break;
    if (matches(record.key, detail)) records.push(record);
  }
  return records;
}

function* candidates<R>({
  queue,
  running,
  held,
  journal,
  clock,
}: InspectedParts<R>): Iterable<readonly [R, () => QueueRow]> {
  const now = clock.monotonic();
  const common = (request: R) => {
    const failure = journal.failing.get(request);
    const own = queue.causesOf(request);
    const causes = own.length > 0 ? own : (failure?.causes ?? []);
    return { key: keyText(request), causes, requeues: queue.numRequeues(request), failure };
  };
  for (const [request, sinceMs] of running)
    yield [request, () => ({ ...common(request), state: "running", forMs: now - sinceMs })];
  for (const [request, { sinceMs, unseen }] of held) {
    const names = unseen.slice(0, mostUnseen).map(({ kind, key }) => `${kind.kind} ${key}`);
    yield [request, () => ({ ...common(request), state: "held", forMs: now - sinceMs, unseen: names })];
  }
  const waiting = queue.waiting?.() ?? [];
  const dueOf = new Map<R, number | undefined>();
  if (journal.failing.size > 0)
    for (const { item, dueMs } of waiting) if (journal.failing.has(item)) dueOf.set(item, dueMs);
  for (const request of journal.failing.keys()) {
    const dueMs = dueOf.get(request);
    yield [
      request,
      () => ({ ...common(request), state: "failing", ...(dueMs === undefined ? {} : { forMs: dueMs - now }) }),
    ];
  }
  for (const { item, priority, dueMs, readySinceMs } of queue.waiting?.() ?? [])
    yield [
      item,
      () =>
        dueMs === undefined
          ? {
              ...common(item),
              priority,
              state: "ready",
              forMs: readySinceMs === undefined ? undefined : now - readySinceMs,
            }
          : { ...common(item), priority, state: "delayed", forMs: dueMs - now },
    ];
}

const matches = (text: string, { search, key }: InspectionDetail): boolean =>
  (key === undefined || text === key) && (!search || text.includes(search));
