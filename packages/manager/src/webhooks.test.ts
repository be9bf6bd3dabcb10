import { untilAborted } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import type { LeaderElectionRecord } from "@kubewright/leader-election";
import { silentLogger } from "@kubewright/log";
import { admissionHandler, allowed, type Webhook } from "@kubewright/webhook";
import { expect, it, vi } from "vitest";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { MemoryLock } from "./testing/memory-lock.ts";
import type { ManagedWebhookServer, WebhookOptions } from "./webhooks.ts";

const start = (webhooks: WebhookOptions = {}) =>
  new Manager({
    connection: { server: "http://127.0.0.1:1" },
    ...{ metrics: { bindAddress: "0" }, logger: silentLogger },
    webhooks: { port: 0, host: "127.0.0.1", ...webhooks },
  });
const webhook = (path: string): Webhook =>
  admissionHandler(path, { type: "validating", name: "a.example.com", rules: [] }, async () => allowed());

/** A server that was made elsewhere, and the webhooks added to it. */
function givenServer() {
  const added: Webhook[] = [];
  const server: ManagedWebhookServer = {
    group: "webhooks",
    name: "given",
    port: 4_711,
    add: (...webhooks) => void added.push(...webhooks),
    configurations: () => [],
    check: () => {},
    run: async () => {},
    inspect: () => ({ callsInFlight: 0 }),
  };
  return { server, added };
}

const runningIn = (manager: Manager) => manager.inspect().filter(({ state }) => "callsInFlight" in state);

it("makes one server for all webhooks, and none without webhooks", () => {
  const manager = start();
  expect([manager.webhooks.server, manager.webhooks.port, runningIn(manager)]).toEqual([undefined, undefined, []]);
  expect(manager.webhooks.configurations({ url: "https://127.0.0.1" })).toEqual([]);
  manager.webhooks.add(webhook("/a"));
  const { server } = manager.webhooks;
  manager.webhooks.add(webhook("/b"));
  expect(manager.webhooks.server).toBe(server);
  expect(runningIn(manager)).toHaveLength(1);
  expect(() => manager.webhooks.add(webhook("/a"))).toThrow("/a");
});

it("uses the given server, once there is a webhook to serve", () => {
  const { server, added } = givenServer();
  const manager = start({ server });
  expect([manager.webhooks.server, manager.webhooks.port, runningIn(manager)]).toEqual([server, 4_711, []]);
  const [a, b, c] = [webhook("/a"), webhook("/b"), webhook("/c")];
  manager.webhooks.add(a, b);
  manager.webhooks.add(c);
  expect([added, runningIn(manager).map(({ name }) => name)]).toEqual([[a, b, c], ["given"]]);
});

/** A leader that serves webhooks, and its parts that have ended. */
async function leading(webhooks: WebhookOptions, more: ManagerOptions = {}) {
  const { server } = givenServer();
  const store: { record?: LeaderElectionRecord } = {};
  const [clock, lock, stop] = [new FakeClock(), new MemoryLock(store, "me"), new AbortController()];
  const ended: string[] = [];
  const running = (name: string) => async (signal: AbortSignal) => {
    await untilAborted(signal);
    ended.push(name);
  };
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" },
    metrics: { bindAddress: "0" },
    logger: silentLogger,
    clock,
    leaderElection: { id: "x", lock, releaseOnCancel: true },
    webhooks: { server: { ...server, run: running("webhooks") }, ...webhooks },
    ...more,
  });
  manager.webhooks.add(webhook("/a"));
  for (const group of ["others", "caches", "leaderElection"] as const) manager.add({ group, run: running(group) });
  const run = manager.run(stop.signal);
  await vi.waitFor(async () => {
    await clock.advance(1);
    expect(manager.leadership.leads).toBe(true);
  });
  return { clock, store, lock, stop, ended, run };
}

it("serves for a while after the signal, with the caches, when the lease has already been released", async () => {
  const { clock, store, stop, ended, run } = await leading({ lingerMs: 10_000 });
  stop.abort();
  await vi.waitFor(() => expect(store.record?.holderIdentity).toBe(""));
  await clock.advance(9_999);
  expect(ended.toSorted()).toEqual(["leaderElection", "others"]);
  await clock.advance(1);
  await run;
  expect(ended.slice(2)).toEqual(["caches", "webhooks"]);
});

it.each<[string, WebhookOptions, ManagerOptions]>([
  ["without that", {}, {}],
  ["with no time to end", { lingerMs: 10_000 }, { gracefulShutdownTimeoutMs: 0 }],
  ["if they are disabled", { lingerMs: 10_000, disabled: true }, {}],
])("ends at once %s", async (_, webhooks, more) => {
  const { stop, run } = await leading(webhooks, more);
  stop.abort();
  await run; // the clock stands still
});

it("does not linger after it has lost leadership", async () => {
  const { clock, lock, run } = await leading({ lingerMs: 10_000 });
  lock.broken = true;
  const lost = expect(run).rejects.toThrow("leader election lost");
  await clock.advance(10_001); // its renewal is due by then
  await lost;
});

it("serves nothing if disabled", () => {
  const { server, added } = givenServer();
  const manager = start({ server, disabled: true });
  const only = webhook("/a");
  manager.webhooks.add(only);
  expect([added, runningIn(manager)]).toEqual([[only], []]);
});
