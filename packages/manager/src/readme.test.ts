import { expect, it } from "vitest";
import { Manager } from "./index.ts";

it("works as the README shows", async () => {
  const connection = { server: "http://127.0.0.1:1" };
  const stop = new AbortController();
  const { signal } = stop;
  let isStocked = false;
  const keepStocked = async (_signal: AbortSignal) => {
    isStocked = true;
  };

  const manager = new Manager({
    connection,
    metrics: { bindAddress: "127.0.0.1:0" },
    health: { bindAddress: "127.0.0.1:0" },
    gracefulShutdownTimeoutMs: 5_000,
  });
  manager.addReadyCheck("shelves", () => {
    if (!isStocked) throw new Error("the shelves are empty");
  });
  manager.add({ group: "others", run: (signal) => keepStocked(signal) });

  const running = manager.run(signal); // `signalContext()` makes a signal of SIGINT and SIGTERM
  await manager.elected;
  expect((await fetch(`http://127.0.0.1:${manager.healthPort}/readyz/shelves`)).status).toBe(200);
  stop.abort();
  await running;
});

it("counts as the README shows", async () => {
  const { metrics } = new Manager({ connection: { server: "http://127.0.0.1:1" } });
  const shipped = metrics.counter({ name: "shop_shipped_total", help: "Shipped orders", labelNames: ["region"] });
  const waiting = metrics.gauge({ name: "shop_waiting", help: "Orders that wait" });
  const packing = metrics.histogram({
    name: "shop_packing_seconds",
    help: "How long packing takes",
    buckets: [1, 10, 60],
  });
  shipped("eu").inc();
  waiting().set(3);
  packing().observe(12.5);
  const text = await metrics.metrics();
  expect(text).toContain('shop_shipped_total{region="eu"} 1');
  expect(text).toContain("shop_waiting 3");
  expect(text).toContain('shop_packing_seconds_bucket{le="60"} 1');
  expect(text).toContain("controller_runtime_reconcile_total");
});
