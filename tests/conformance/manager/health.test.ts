import { describe, expect, it } from "vitest";
import { runningManager } from "./running-manager.ts";

async function served(...checks: [name: string, error?: string][]) {
  const { manager, end, clock } = runningManager({ health: { bindAddress: "127.0.0.1:0" } });
  for (const [name, error] of checks)
    manager.addHealthCheck(name, () => {
      if (error) throw new Error(error);
    });
  await manager.elected;
  const ask = async (path: string): Promise<[number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${manager.healthPort}${path}`);
    return [answer.status, await answer.text()];
  };
  return { manager, ask, end, clock };
}

describe("health probes", () => {
  it("MG-040 answers ok if all checks pass, and fails with any of them", async () => {
    const good = await served(["ok1"], ["ok2"]);
    expect(await good.ask("/healthz")).toEqual([200, "ok"]);
    await good.end();
    const bad = await served(["ok1"], ["bad1", "blah"]);
    expect((await bad.ask("/healthz"))[0]).toBe(500);
    await bad.end();
  });

  it("MG-041 skips excluded checks, known or not", async () => {
    const { ask, end } = await served(["ok1"], ["bad1", "blah"], ["bad2", "blah"]);
    expect((await ask("/healthz?exclude=bad1"))[0]).toBe(500);
    expect(await ask("/healthz?exclude=bad1&exclude=bad2")).toEqual([200, "ok"]);
    expect((await ask("/healthz?exclude=bad1&exclude=bad2&exclude=unknown"))[0]).toBe(200);
    await end();
  });

  it("MG-042 lists checks by name on request or if one fails, and withholds the reason", async () => {
    const good = await served(["ok2"], ["ok1"]);
    const text = "[+]ok1 ok\n[+]ok2 ok\nhealthz check passed\n";
    expect(await good.ask("/healthz?verbose=true")).toEqual([200, text]);
    await good.end();
    const bad = await served(["ok1"], ["bad1", "secret"]);
    const failing = "[-]bad1 failed: reason withheld\n[+]ok1 ok\nhealthz check failed\n";
    expect(await bad.ask("/healthz")).toEqual([500, failing]);
    await bad.end();
  });

  it("MG-043 has a ping if no check was added", async () => {
    const { ask, end } = await served();
    expect(await ask("/healthz?verbose=true")).toEqual([200, "[+]ping ok\nhealthz check passed\n"]);
    expect(await ask("/healthz/ping")).toEqual([200, "ok"]);
    expect((await ask("/healthz/bad"))[0]).toBe(404);
    await end();
  });

  it("MG-044 runs one check by its name", async () => {
    const { ask, end } = await served(["ok1"], ["bad1", "blah"]);
    expect(await ask("/healthz/ok1")).toEqual([200, "ok"]);
    expect(await ask("/healthz/bad1")).toEqual([500, "internal server error: blah\n"]);
    expect((await ask("/healthz/unknown"))[0]).toBe(404);
    await end();
  });

  it("MG-045 serves health and readiness in their current state", async () => {
    const { ask, end, manager } = await served();
    const failing = { check: false, ready: false };
    manager.addHealthCheck("check", () => {
      if (failing.check) throw new Error("ill");
    });
    manager.addReadyCheck("ready", () => {
      if (failing.ready) throw new Error("busy");
    });
    const statuses = async (): Promise<number[]> =>
      Promise.all(["/healthz", "/healthz/check", "/readyz", "/readyz/ready"].map(async (path) => (await ask(path))[0]));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    failing.ready = true;
    expect(await statuses()).toEqual([200, 200, 500, 500]);
    failing.check = true;
    failing.ready = false;
    expect(await statuses()).toEqual([500, 500, 200, 200]);
    await end();
  });

  it("stops serving with the manager, and fails at the start if the address is taken", async () => {
    const { ask, end, manager } = await served(["ok1"]);
    const second = runningManager({ health: { bindAddress: `127.0.0.1:${manager.healthPort}` } });
    await second.ended;
    expect(String(second.outcome())).toContain("health server failed to listen on 127.0.0.1:");
    expect((await ask("/healthz"))[0]).toBe(200);
    await end();
    await expect(ask("/healthz")).rejects.toThrow();
  });
});
