import { type Result, TerminalError } from "@kubewright/controller";
import { describe, expect, it } from "vitest";
import { exposedMetrics } from "./counted-metrics.ts";
import { runningController } from "./running-controller.ts";

describe("metrics of reconciles", () => {
  it("CT-038 counts one of four results for each reconcile, all of which exist from the start", async () => {
    const { controllerMetrics, exposed } = exposedMetrics();
    const results = new Map<string, Result>([
      ["web/a", {}],
      ["web/b", { requeue: true }],
      ["web/c", { requeueAfterMs: 60_000 }],
    ]);
    const { clock, add, end } = runningController({
      metrics: controllerMetrics,
      reconcile: (request) => {
        if (request === "web/d") throw new TerminalError("never");
        return results.get(request);
      },
    });
    const totals = async (): Promise<unknown> =>
      Object.fromEntries(
        [...(await exposed()).matchAll(/controller_runtime_reconcile_total\{.*result="(\w+)"\} (\d+)/g)].map(
          ([, result, count]) => [result, Number(count)],
        ),
      );
    expect(await totals()).toEqual({ success: 0, error: 0, requeue: 0, requeue_after: 0 });
    await clock.advance(0);
    for (const request of [...results.keys(), "web/d"]) add(request);
    await clock.advance(0);
    expect(await totals()).toEqual({ success: 1, error: 1, requeue: 1, requeue_after: 1 });
    await end();
  });

  it("CT-039 measures errors, durations, active workers and their maximum", async () => {
    const { controllerMetrics, exposed } = exposedMetrics();
    const { clock, add, end } = runningController({
      metrics: controllerMetrics,
      maxConcurrentReconciles: 3,
      reconcile: async () => {
        await clock.sleep(2_000);
        throw new Error("bad");
      },
    });
    const value = async (metric: string): Promise<number> =>
      Number(
        new RegExp(`^controller_runtime_${metric}\\{controller="test"\\} (\\S+)$`, "m").exec(await exposed())?.[1],
      );
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    expect([await value("active_workers"), await value("max_concurrent_reconciles")]).toEqual([1, 3]);
    expect([await value("reconcile_errors_total"), await value("reconcile_time_seconds_count")]).toEqual([0, 0]);
    await clock.advance(2_000);
    expect([await value("active_workers"), await value("reconcile_errors_total")]).toEqual([0, 1]);
    expect([await value("reconcile_time_seconds_count"), await value("reconcile_time_seconds_sum")]).toEqual([1, 2]);
    const ended = end();
    await clock.advance(5_000);
    await ended;
  });
});
