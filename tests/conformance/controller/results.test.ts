import { type Result, TerminalError } from "@kubewright/controller";
import { describe, expect, it } from "vitest";
import { countedMetrics } from "./counted-metrics.ts";
import { runningController } from "./running-controller.ts";

/** Returns a reconciler with the given results, one after the other; the last one is repeated. */
function answering(...answers: (Result | Error)[]) {
  return () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

describe("result handling", () => {
  it("CT-031 forgets a successful request", async () => {
    const { clock, add, end, calls, queue } = runningController();
    await clock.advance(0);
    add("web/a");
    await clock.advance(10_000);
    expect([calls, queue().size, queue().numRequeues("web/a")]).toEqual([["web/a"], 0, 0]);
    await end();
  });

  it("CT-032 retries a failed request with a delay, and continues with others", async () => {
    const { clock, add, end, calls, queue } = runningController({
      reconcile: (request) => {
        if (request === "web/bad" && calls.length === 1) throw new Error("once");
      },
    });
    await clock.advance(0);
    add("web/bad");
    add("web/good");
    await clock.advance(4);
    expect([calls, queue().numRequeues("web/bad")]).toEqual([["web/bad", "web/good"], 1]);
    await clock.advance(1);
    expect([calls.at(-1), queue().numRequeues("web/bad")]).toEqual(["web/bad", 0]);
    await end();
  });

  it("CT-033 does not retry a terminal error, and counts it as both", async () => {
    const { metrics, count } = countedMetrics();
    const reconcile = answering(new TerminalError(new Error("never")));
    const { clock, add, end, calls, queue } = runningController({ metrics, reconcile });
    await clock.advance(0);
    add("web/a");
    await clock.advance(1_000_000);
    expect([calls, queue().numRequeues("web/a")]).toEqual([["web/a"], 0]);
    expect([count.errors, count.terminalErrors, count.error]).toEqual([1, 1, 1]);
    await end();
  });

  it("CT-034 waits longer after each failure, until one success", async () => {
    const bad = new Error("bad");
    const reconcile = answering(bad, bad, bad, {}, bad, {});
    const { clock, add, end, calls, queue } = runningController({ reconcile });
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    for (const [waitMs, requeues] of [
      [5, 2],
      [10, 3],
      [20, 0],
    ] as const) {
      const before = calls.length;
      await clock.advance(waitMs - 1);
      expect(calls.length).toBe(before);
      await clock.advance(1);
      expect([calls.length, queue().numRequeues("web/a")]).toEqual([before + 1, requeues]);
    }
    add("web/a");
    await clock.advance(0);
    expect(queue().numRequeues("web/a")).toBe(1);
    await clock.advance(5);
    expect([calls.length, queue().numRequeues("web/a")]).toEqual([6, 0]);
    await end();
  });

  it("CT-035 requeues with a growing delay for requeue", async () => {
    const reconcile = answering({ requeue: true }, { requeue: true }, {});
    const { clock, add, end, calls, queue } = runningController({ reconcile });
    await clock.advance(0);
    add("web/a");
    await clock.advance(4);
    expect([calls.length, queue().numRequeues("web/a")]).toEqual([1, 1]);
    await clock.advance(1);
    expect([calls.length, queue().numRequeues("web/a")]).toEqual([2, 2]);
    await clock.advance(9);
    expect(calls.length).toBe(2);
    await clock.advance(1);
    expect([calls.length, queue().numRequeues("web/a")]).toEqual([3, 0]);
    await end();
  });

  it.each([true, false])("CT-036 requeues after exactly requeueAfterMs, also with requeue %s", async (requeue) => {
    const reconcile = answering(new Error("bad"), { requeueAfterMs: 3_000, requeue }, {});
    const { clock, add, end, calls, queue } = runningController({ reconcile });
    await clock.advance(0);
    add("web/a");
    await clock.advance(5);
    expect([calls.length, queue().numRequeues("web/a")]).toEqual([2, 0]);
    await clock.advance(2_999);
    expect(calls.length).toBe(2);
    await clock.advance(1);
    expect([calls.length, queue().numRequeues("web/a")]).toEqual([3, 0]);
    await end();
  });

  it.each([
    ["requeue", { requeue: true }],
    ["requeueAfterMs", { requeueAfterMs: 5 }],
    ["an error", new Error("bad")],
  ])("CT-037 requeues with the original priority after %s", async (_what, answer) => {
    const order: string[] = [];
    let gate = Promise.withResolvers<void>();
    const answers = answering(answer, {});
    const { clock, add, end } = runningController({
      reconcile: async (request) => {
        order.push(request);
        if (request.startsWith("web/gate")) await gate.promise;
        return request === "web/a" ? answers() : undefined;
      },
    });
    await clock.advance(0);
    add("web/a", { priority: 10 });
    await clock.advance(0);
    add("web/gate");
    await clock.advance(5);
    add("web/b", { priority: 9 });
    add("web/c", { priority: 11 });
    gate.resolve();
    gate = Promise.withResolvers();
    await clock.advance(0);
    expect(order).toEqual(["web/a", "web/gate", "web/c", "web/a", "web/b"]);
    await end();
  });
});
