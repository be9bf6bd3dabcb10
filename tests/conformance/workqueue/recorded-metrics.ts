import type { QueueMetrics } from "@kubewright/workqueue";

/** Metrics for tests to read. */
export class RecordedMetrics implements QueueMetrics {
  addCount = 0;
  retryCount = 0;
  lowestDepth = 0;
  unfinishedSeconds: number[] = [];
  longestSeconds: number[] = [];
  latencies: number[] = [];
  workDurations: number[] = [];
  readonly depths = new Map<number, number>();

  readonly depth = {
    inc: (priority: number): void => this.#change(priority, 1),
    dec: (priority: number): void => this.#change(priority, -1),
  };
  readonly adds = {
    inc: (): void => {
      this.addCount++;
    },
  };
  readonly retries = {
    inc: (): void => {
      this.retryCount++;
    },
  };
  readonly queueDuration = { observe: (seconds: number): number => this.latencies.push(seconds) };
  readonly workDuration = { observe: (seconds: number): number => this.workDurations.push(seconds) };
  readonly unfinishedWork = { set: (seconds: number): number => this.unfinishedSeconds.push(seconds) };
  readonly longestRunningProcessor = { set: (seconds: number): number => this.longestSeconds.push(seconds) };

  get totalDepth(): number {
    return [...this.depths.values()].reduce((sum, depth) => sum + depth, 0);
  }

  #change(priority: number, by: number): void {
    const depth = (this.depths.get(priority) ?? 0) + by;
    this.depths.set(priority, depth);
    this.lowestDepth = Math.min(this.lowestDepth, depth);
  }
}
