import { Environment } from "@kubewright/envtest";
import {
  Client,
  controllerOf,
  Manager,
  type Reconciler,
  silentLogger,
} from "kubewright";
import { ConfigMap, Namespace, Secret } from "kubewright/kinds";
import { FakeClock, operator } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { live, namesOf, narrow } from "./caches.ts";
import { showConsole } from "./console.ts";
import { addDrawers, open } from "./own-writes.ts";
import { addPatiently } from "./queues.ts";
import { Shop } from "./shop.ts";

const quiet = { metrics: { bindAddress: "0" } };
const named = (name: string) => ({ namespace: "default", name });
const shop = (name: string) => ({
  metadata: named(name),
  spec: { host: `${name}.example.com`, settings: "none" },
});
let env: Environment;
let client: Client;

beforeAll(async () => {
  env = await Environment.start({ crds: [Shop] });
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

/** Runs a manager while the function runs. */
async function during(
  manager: Manager,
  ask: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  try {
    await manager.elected;
    await ask();
  } finally {
    stop.abort();
    await running;
  }
}

it("caches exactly the configured parts", async () => {
  const labels = { "app.kubernetes.io/part-of": "shop" };
  for (const name of ["web", "db"])
    await client.create(Namespace, { metadata: { name } });
  for (const [namespace, name, own] of [
    ["web", "kept", labels],
    ["web", "other", {}],
    ["default", "elsewhere", labels],
  ] as const)
    await client.create(ConfigMap, {
      metadata: { namespace, name, labels: own },
      data: { colour: "green" },
    });
  await client.create(Secret, {
    metadata: { namespace: "db", name: "password" },
    stringData: { password: "x" },
  });

  const manager = narrow(env.connection());
  await during(manager, async () => {
    expect(
      (await manager.client.list(ConfigMap)).map(
        ({ metadata }) => metadata.name,
      ),
    ).toEqual(["kept"]);
    expect(await namesOf(manager, "web")).toEqual(["kept"]);
    const secret = await manager.client.get(Secret, "db/password");
    expect([secret.type, secret.data]).toEqual(["Opaque", undefined]);
    await expect(
      manager.client.get(ConfigMap, "default/elsewhere"),
    ).rejects.toThrow("default");
    expect((await live(manager, "default/elsewhere")).data).toEqual({
      colour: "green",
    });
  });
});

it("creates three objects, however soon it is called again", async () => {
  await using running = await operator(env, addDrawers, quiet);
  await client.create(Shop, shop("corner"));
  const drawers = async () =>
    (await client.list(ConfigMap, { namespace: "default" })).filter(
      (each) => controllerOf(each)?.name === "corner",
    );
  await running.eventually(async () => expect(await drawers()).toHaveLength(3));
  const touch = (i: number) =>
    client.patch(Shop, "default/corner", {
      metadata: { annotations: { i: String(i) } },
    });
  for (let i = 0; i < 20; i++) await touch(i);
  const { resourceVersion } = (await touch(20)).metadata;
  await running.eventually(async () => {
    const seen = await running.manager.client.get(Shop, "default/corner");
    expect(seen.metadata.resourceVersion).toBe(resourceVersion);
  });
  expect(await drawers()).toHaveLength(3);
  await client.delete(Shop, named("corner"));
});

it("reads its own write once the cache has caught up", async () => {
  await client.create(Shop, shop("station"));
  const manager = new Manager({ connection: env.connection(), ...quiet });
  await during(manager, async () => {
    await manager.client.list(Shop);
    expect(await open(manager, "default/station")).toBe(true);
    const { metadata } = await manager.client.get(Shop, "default/station");
    expect(metadata.labels).toEqual({ open: "yes" });
  });
  await client.delete(Shop, named("station"));
});

it("waits longer after each failure", async () => {
  const clock = new FakeClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const tries: number[] = [];
  const reconcile: Reconciler = async () => {
    tries.push(clock.now());
    if (tries.length < 3) throw new Error("not yet");
    resolve();
  };
  const setup = (manager: Manager) => addPatiently(manager, reconcile);
  await using running = await operator(env, setup, {
    ...quiet,
    clock,
    logger: silentLogger,
  });
  await client.create(Shop, shop("harbour"));
  await running.eventually(() => expect(tries).toHaveLength(1));
  await running.eventually(async () => {
    await clock.advance(500);
    expect(tries).toHaveLength(3);
  });
  await promise;
  const [first = 0, second = 0, third = 0] = tries;
  expect(second - first).toBeGreaterThanOrEqual(1_000);
  expect(third - second).toBeGreaterThanOrEqual(2_000);
  await client.delete(Shop, named("harbour"));
});

it("signs in one browser with the address, and no second one", async () => {
  await client.create(Shop, shop("market"));
  const manager = new Manager({ connection: env.connection(), ...quiet });
  const { promise: address, resolve } = Promise.withResolvers<string>();
  const shown = showConsole(manager, resolve);
  await during(manager, async () => {
    await shown;
    const url = new URL(await address);
    const at = (path: string) => new URL(`/debug/kubewright/v1/${path}`, url);
    expect((await fetch(at("panels/shops"))).status).toBe(401);
    const enter = () =>
      fetch(at("session"), {
        method: "POST",
        body: url.hash.replace("#t=", ""),
      });
    const { session } = (await (await enter()).json()) as {
      readonly session: string;
    };
    const panel = await fetch(at("panels/shops"), {
      headers: { "kubewright-session": session },
    });
    expect(await panel.json()).toMatchObject({
      rows: [{ name: "market", host: "market.example.com" }],
    });
    expect((await enter()).status).toBe(401);
  });
  await client.delete(Shop, named("market"));
});
