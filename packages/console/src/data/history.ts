/** A controller's metrics at one point in time. */
export interface ControllerNumbers {
  readonly name: string;
  readonly queueLength: number;
  readonly running: number;
  readonly held: number;
  readonly failing: number;
  readonly maxConcurrentReconciles: number;
  readonly hasStarted: boolean;
  readonly hasSynced: boolean;
  readonly gaveUp: number;
  readonly paused: number;
  readonly p99Ms?: number | undefined;
  readonly hung: number;
  /** Descriptions of the sources that have not synced, such as `kind source: Deployment.apps`. */
  readonly unsynced: readonly string[];
  readonly totals: { readonly reconciles: number; readonly errors: number; readonly busyMs: number };
}

/** Interval between samples, in milliseconds. Samples are kept for an hour. */
export const sampleMs = 5_000;
const maxSamples = 720;

/** A controller's history: lists of equal length, oldest values first. */
export interface ControllerHistory {
  readonly atMs: number[];
  readonly depth: number[];
  readonly failing: number[];
  /** Reconciles per second since the previous sample. */
  readonly reconciles: number[];
  /** Errors per second since the previous sample. */
  readonly errors: number[];
  /** Mean duration of the reconciles since the previous sample, in milliseconds. */
  readonly meanMs: number[];
}

/** Stores the history of the last hour in memory. */
export class History {
  readonly #byName = new Map<string, ControllerHistory>();
  readonly #last = new Map<string, { readonly atMs: number; readonly totals: ControllerNumbers["totals"] }>();

  /** Adds a sample for each controller. @param atMs time of the sample, in milliseconds since 1970 */
  add(atMs: number, controllers: readonly ControllerNumbers[]): void {
    const names = new Set(controllers.map(({ name }) => name));
    for (const name of this.#byName.keys()) {
      if (names.has(name)) continue;
      this.#byName.delete(name);
      this.#last.delete(name);
    }
    for (const controller of controllers) this.#addOne(atMs, controller);
  }

  of(name: string): ControllerHistory {
    return this.#byName.get(name) ?? emptyHistory();
  }

  /** Returns the time in milliseconds for which requests have been waiting while no reconcile has ended. */
  waitedMs(name: string): number {
    const { atMs, depth, reconciles } = this.of(name);
    let first = atMs.length;
    while (first > 0 && depth[first - 1] !== 0 && reconciles[first - 1] === 0) first--;
    return (atMs.at(-1) ?? 0) - (atMs[first] ?? atMs.at(-1) ?? 0);
  }

  #addOne(atMs: number, { name, queueLength, failing, totals }: ControllerNumbers): void {
    const history = this.#byName.get(name) ?? emptyHistory();
    this.#byName.set(name, history);
    const last = this.#last.get(name);
    this.#last.set(name, { atMs, totals });
    const seconds = last ? Math.max((atMs - last.atMs) / 1_000, 0.001) : 1;
    const reconciles = last ? totals.reconciles - last.totals.reconciles : 0;
    const errors = last ? totals.errors - last.totals.errors : 0;
    const busyMs = last ? totals.busyMs - last.totals.busyMs : 0;
    history.atMs.push(atMs);
    history.depth.push(queueLength);
    history.failing.push(failing);
    history.reconciles.push(rounded(reconciles / seconds));
    history.errors.push(rounded(errors / seconds));
    history.meanMs.push(rounded(reconciles > 0 ? busyMs / reconciles : 0));
    if (history.atMs.length > maxSamples) for (const list of Object.values(history)) list.shift();
  }
}

const emptyHistory = (): ControllerHistory => ({
  atMs: [],
  depth: [],
  failing: [],
  reconciles: [],
  errors: [],
  meanMs: [],
});

const rounded = (value: number): number => Math.round(value * 100) / 100;
