import { funcSource, isTerminalError, TerminalError } from "@kubewright/controller";
import { describe, expect, it } from "vitest";
import { countedMetrics } from "./counted-metrics.ts";
import { runningController } from "./running-controller.ts";

describe("reconcile call", () => {
  it("CT-024 recovers from a programming error in the reconciler, counts it and retries, or ends with it if configured", async () => {
    const mistake = new TypeError("cannot read properties of undefined");
    const counted = countedMetrics();
    let fails = true;
    const survivor = runningController({
      metrics: counted.metrics,
      reconcile: () => {
        if (fails) throw mistake;
      },
    });
    await survivor.clock.advance(0);
    survivor.add("web/a");
    await survivor.clock.advance(0);
    expect([counted.count.panics, counted.count.errors, survivor.queue().numRequeues("web/a")]).toEqual([1, 1, 1]);
    fails = false;
    await survivor.clock.advance(5);
    expect([survivor.calls.length, survivor.outcome()]).toEqual([2, "running"]);
    await survivor.end();

    const fragile = runningController({
      recoverPanic: false,
      reconcile: () => {
        throw mistake;
      },
    });
    await fragile.clock.advance(0);
    fragile.add("web/a");
    await fragile.ended;
    expect(fragile.outcome()).toBe(mistake);
  });

  it("CT-025 aborts a reconcile's signal after its timeout, and never without one", async () => {
    for (const [reconciliationTimeoutMs, isAborted] of [
      [100, true],
      [false, false],
    ] as const) {
      let reason: unknown;
      const { clock, add, end } = runningController({
        reconciliationTimeoutMs,
        reconcile: async (_request, { signal }) => {
          await clock.sleep(10_000, signal);
          reason = signal.reason;
        },
      });
      await clock.advance(0);
      add("web/a");
      await clock.advance(100);
      await clock.advance(10_000);
      expect(reason instanceof DOMException && reason.name === "TimeoutError").toBe(isAborted);
      await end();
    }
  });

  it("CT-026 counts each reconcile that timed out", async () => {
    const counted = countedMetrics();
    const { clock, add, end } = runningController({
      reconciliationTimeoutMs: 100,
      metrics: counted.metrics,
      reconcile: async (request, { signal }) => {
        if (request !== "web/quick") await clock.sleep(10_000, signal);
      },
    });
    await clock.advance(0);
    for (const [request, count] of [
      ["web/a", 1],
      ["web/quick", 1],
      ["web/b", 2],
    ] as const) {
      add(request);
      await clock.advance(100);
      expect(counted.count.timeouts).toBe(count);
    }
    await end();
  });

  it("CT-027 gives each reconcile its own id, and handlers none", async () => {
    const ids: string[] = [];
    let isInSource = true;
    const { clock, end } = runningController({
      sources: [
        funcSource((context) => {
          isInSource = "reconcileID" in context;
          context.queue.add("web/a");
          context.queue.add("web/b");
        }),
      ],
      reconcile: (_request, { reconcileID }) => void ids.push(reconcileID),
    });
    await clock.advance(0);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.length > 0)).toBe(true);
    expect(isInSource).toBe(false);
    await end();
  });

  it.each([
    [undefined, "success"],
    [{}, "success"],
    [{ requeue: false, requeueAfterMs: 0 }, "success"],
    [{ requeue: true }, "requeue"],
    [{ requeueAfterMs: 1 }, "requeue_after"],
  ])("CT-028 treats %j as %s", async (result, counted) => {
    const { metrics, count } = countedMetrics();
    const { clock, add, end } = runningController({ metrics, reconcile: () => result });
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    expect(count[counted]).toBe(1);
    await end();
  });

  it("CT-029 accepts any function as a reconciler: it gets the request, and its result or error counts", async () => {
    const { metrics, count } = countedMetrics();
    const { clock, add, end, calls } = runningController({
      metrics,
      reconcile: (request) => {
        if (request === "web/bad") throw new Error("bad");
        return { requeueAfterMs: 60_000 };
      },
    });
    await clock.advance(0);
    add("web/good");
    add("web/bad");
    await clock.advance(0);
    expect(calls).toEqual(["web/good", "web/bad"]);
    expect([count.requeue_after, count.error]).toEqual([1, 1]);
    await end();
  });

  it("CT-030 finds the cause of a terminal error, and describes one without a cause", () => {
    class Refused extends Error {}
    const inner = new Refused("no");
    const terminal = new TerminalError(inner);
    expect(terminal.cause).toBe(inner);
    expect(terminal.cause instanceof Refused).toBe(true);
    expect(terminal.message).toBe("terminal error: no");
    expect([terminal, new Error("wrapped", { cause: terminal }), inner].map(isTerminalError)).toEqual([
      true,
      true,
      false,
    ]);
    expect(new TerminalError().message).toBe("nil terminal error");
  });
});
