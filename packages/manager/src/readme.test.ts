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
