import type { Clock } from "@kubewright/clock";
import { type FailureRecord, type History, keyText, type ReconcileRecord } from "./history.ts";
import type { HeldRequest } from "./read-your-own-writes.ts";
import type { Cause } from "./request.ts";
import type { RequestQueue } from "./request-queue.ts";

/** Details to include in an inspection. */
export interface ControllerInspectionDetail {
  /** Maximum number of queue rows, and of reconciles. */
  readonly limit: number;
  /** Text that returned keys must contain. */
  readonly search?: string | undefined;
  /** The only key to return. */
  readonly key?: string | undefined;
}

/** A key that is queued, being reconciled, held back or failing. */
export interface QueueRow {
  readonly key: string;
  readonly state: "running" | "held" | "ready" | "delayed" | "failing";
  /** Time in this state in milliseconds; for `delayed`, the remaining time. Absent if unknown. */
  readonly forMs?: number | undefined;
  readonly priority?: number | undefined;
  readonly causes: readonly Cause[];
  /** Number of times that the rate limiter has delayed the request since its last success. */
  readonly requeues: number;
  /** The program's own writes that the cache does not show yet. */
  readonly unseen?: readonly string[] | undefined;
  readonly failure?: FailureRecord | undefined;
}

/** A controller's current state. */
export interface ControllerInspection {
  /** Number of ready requests that are not being reconciled. */
  readonly queueLength: number;
  readonly hasStarted: boolean;
  /** True if the controller is running and its sources have delivered the objects that existed at the start. */
  readonly hasSynced: boolean;
  /** True while handlers are processing events, which may add requests. Events that wait for a retry do not count. */
  readonly isHandling: boolean;
  readonly maxConcurrentReconciles: number;
  /** Number of reconciles in progress. */
  readonly running: number;
  /** Number of requests that wait until the cache shows own writes. */
  readonly held: number;
  /** Number of keys whose last reconcile failed. */
  readonly failing: number;
  /** Totals since the controller was created. */
  readonly totals: { readonly reconciles: number; readonly errors: number; readonly busyMs: number };
  /** Rows of the queue, if details were requested. `total` is the number of matching keys among the examined ones. */
  readonly queue?:
    | { readonly rows: readonly QueueRow[]; readonly total: number; readonly isWhole: boolean }
    | undefined;
  /** Recent reconciles with the newest first, if details were requested. */
  readonly reconciles?: readonly ReconcileRecord[] | undefined;
}

export interface InspectedParts<R> {
  readonly queue: RequestQueue<R>;
  /** Start times in monotonic milliseconds of the clock. */
  readonly running: ReadonlyMap<R, number>;
  readonly held: ReadonlyMap<R, HeldRequest>;
  readonly history: History<R>;
  readonly clock: Clock;
}

/** Maximum number of a queue's keys that are examined per response. */
const maxLookedAt = 100_000;
const maxUnseen = 10;

/** Returns the rows of a queue: running and held requests first, then failing ones, then waiting ones. */
export function queueRows<R>(
  parts: InspectedParts<R>,
  detail: ControllerInspectionDetail,
): ControllerInspection["queue"] {
  const rows: QueueRow[] = [];
  const seen = new Set<R>();
  let total = 0;
  let looked = 0;
  for (const [request, rowOf] of candidates(parts)) {
    if (++looked > maxLookedAt) return { rows, total, isWhole: false };
    if (seen.has(request) || !matches(keyText(request), detail)) continue;
    seen.add(request);
    total++;
    if (rows.length < detail.limit) rows.push(rowOf());
  }
  return { rows, total, isWhole: true };
}

export function recentReconciles<R>(history: History<R>, detail: ControllerInspectionDetail): ReconcileRecord[] {
  const records: ReconcileRecord[] = [];
  for (const record of history.recent()) {
    if (records.length >= detail.limit) break;
    if (matches(record.key, detail)) records.push(record);
  }
  return records;
}

function* candidates<R>({
  queue,
  running,
  held,
  history,
  clock,
}: InspectedParts<R>): Iterable<readonly [R, () => QueueRow]> {
  const now = clock.monotonic();
  const common = (request: R) => {
    const failure = history.failing.get(request);
    const own = queue.causesOf(request);
    const causes = own.length > 0 ? own : (failure?.causes ?? []);
    return { key: keyText(request), causes, requeues: queue.numRequeues(request), failure };
  };
  for (const [request, sinceMs] of running)
    yield [request, () => ({ ...common(request), state: "running", forMs: now - sinceMs })];
  for (const [request, { sinceMs, unseen }] of held) {
    const names = unseen.slice(0, maxUnseen).map(({ kind, key }) => `${kind.kind} ${key}`);
    yield [request, () => ({ ...common(request), state: "held", forMs: now - sinceMs, unseen: names })];
  }
  const waiting = queue.waiting?.() ?? [];
  const dueOf = new Map<R, number | undefined>();
  if (history.failing.size > 0)
    for (const { item, dueMs } of waiting) if (history.failing.has(item)) dueOf.set(item, dueMs);
  for (const request of history.failing.keys()) {
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

const matches = (text: string, { search, key }: ControllerInspectionDetail): boolean =>
  (key === undefined || text === key) && (!search || text.includes(search));
