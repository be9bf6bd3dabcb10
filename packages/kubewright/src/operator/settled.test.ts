import { keyOf, splitKey } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import { Client } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { enqueueRequestsFromMapFunc } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import type { Manager } from "@kubewright/manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { operator } from "./operator.ts";

let env: Environment;
let admin: Client;
beforeAll(async () => {
  env = await Environment.start();
  admin = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await admin.close();
  await env.stop();
});

const options = { logger: silentLogger, metrics: { bindAddress: "0" } } as const;
/** One environment per test, which isolates objects of tests. */
const only = (prefix: string) => ({
  predicates: [
    ({ object }: { readonly object: { readonly metadata: { readonly name: string } } }) =>
      object.metadata.name.startsWith(prefix),
  ],
});
const configMap = (name: string, data: Record<string, string> = {}) => ({
  metadata: { namespace: "default", name },
  data,
});
const countOf = async (name: string) => Number((await admin.get(ConfigMap, `default/${name}`)).data?.count ?? 0);

it("waits for the effects of a write, but not for delayed requests", async () => {
  const clock = new FakeClock();
  const setup = (manager: Manager): void =>
    void controllerManagedBy(manager)
      .for(ConfigMap, only("timed"))
      .needs(ConfigMap, ["patch"])
      .complete(async (request, { client }) => {
        const { data } = await client.get(ConfigMap, request);
        if (Number(data?.next ?? 0) > clock.now()) return { requeueAfterMs: Number(data?.next) - clock.now() };
        const count = String(Number(data?.count ?? 0) + 1);
        await client.patch(ConfigMap, splitKey(request), { data: { count, next: String(clock.now() + 60_000) } });
        return { requeueAfterMs: 60_000 };
      });
  await using running = await operator(env, setup, { ...options, clock, user: "timed" });
  await running.settled();
  await admin.create(ConfigMap, configMap("timed"));
  await running.settled();
  expect(await countOf("timed")).toBe(1);
  await clock.advance(59_000);
  await running.settled();
  expect(await countOf("timed")).toBe(1);
  for (let count = 2; count < 6; count++) {
    await clock.advance(count === 2 ? 1_000 : 60_000);
    await running.settled();
    expect(await countOf("timed")).toBe(count);
  }
});

it("waits for a chain of the program's writes, deletions and handlers", async () => {
  const seen: string[] = [];
  const gone: string[] = [];
  const length = 12;
  const setup = (manager: Manager): void =>
    void controllerManagedBy(manager)
      .for(ConfigMap, only("chain"))
      .watches(
        Secret,
        enqueueRequestsFromMapFunc(async ({ metadata }) => {
          await manager.apiReader.get(ConfigMap, "default/chain-0").catch(() => {});
          return metadata.name.startsWith("chain") ? [keyOf({ metadata })] : [];
        }),
      )
      .needs(ConfigMap, ["create", "get"])
      .complete(async (request, { client }) => {
        const { namespace, name } = splitKey(request);
        const found = await client.get(ConfigMap, request).catch(() => undefined);
        if (!found) return void gone.push(name);
        seen.push(name);
        const next = Number(name.slice("chain-".length)) + 1;
        if (next < length)
          await client.create(ConfigMap, { metadata: { namespace, name: `chain-${next}` } }).catch(() => {});
      });
  await using running = await operator(env, setup, { ...options, clock: new FakeClock(), user: "chain" });
  await admin.create(ConfigMap, configMap("chain-0"));
  await running.settled();
  expect(new Set(seen).size).toBe(length);
  await admin.delete(ConfigMap, "default/chain-3");
  await running.settled();
  expect(gone).toEqual(["chain-3"]);
  await admin.create(Secret, { metadata: { namespace: "default", name: "chain-99" } });
  await running.settled();
  expect(gone).toEqual(["chain-3", "chain-99"]);
});

it("names the busy controller and its request", async () => {
  const gate = Promise.withResolvers<void>();
  const setup = (manager: Manager): void =>
    void controllerManagedBy(manager)
      .for(ConfigMap, only("stuck"))
      .named("sticky")
      .complete(() => gate.promise);
  await using running = await operator(env, setup, { ...options, user: "stuck" });
  await admin.create(ConfigMap, configMap("stuck"));
  await expect(running.settled({ timeoutMs: 500 })).rejects.toThrow(
    'not settled within 500 ms: controller "sticky": default/stuck (running)',
  );
  gate.resolve();
  await running.settled();
});

it("names a controller that has not started, and fails at once if the program ends", async () => {
  const ended = Promise.withResolvers<void>();
  const forever = new Promise<void>(() => {});
  const setup = (manager: Manager): void => {
    controllerManagedBy(manager)
      .for(ConfigMap, only("never"))
      .named("standby")
      .complete(() => {});
    manager.add({ group: "others", run: () => ended.promise, ready: () => forever });
  };
  const running = await operator(env, setup, { ...options, user: "never" });
  await expect(running.settled({ timeoutMs: 300 })).rejects.toThrow('controller "standby": it has not started');
  ended.reject(new Error("no luck"));
  await expect(running.settled({ timeoutMs: 600_000 })).rejects.toThrow("no luck");
  await running[Symbol.asyncDispose]();
});

it("waits for a slow handler after later events were processed", async () => {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const reconciled: string[] = [];
  const setup = (manager: Manager): void =>
    void controllerManagedBy(manager)
      .for(ConfigMap, only("mapped"))
      .named("mapped")
      .watches(
        Secret,
        enqueueRequestsFromMapFunc(async ({ metadata }) => {
          if (metadata.name !== "mapped") return [];
          asked.resolve();
          await gate.promise;
          return ["default/mapped"];
        }),
      )
      .complete((request) => void reconciled.push(request));
  await using running = await operator(env, setup, { ...options, clock, user: "mapped" });
  await running.settled();
  await admin.create(Secret, { metadata: { namespace: "default", name: "mapped" } });
  await asked.promise;
  await clock.advance(2_000);
  await expect(running.settled({ timeoutMs: 300 })).rejects.toThrow('controller "mapped": a handler has not finished');
  gate.resolve();
  await running.settled();
  expect(reconciled).toEqual(["default/mapped"]);
});

it("names a request that is reconciled repeatedly", async () => {
  const setup = (manager: Manager): void =>
    void controllerManagedBy(manager)
      .for(ConfigMap, only("restless"))
      .named("restless")
      .needs(ConfigMap, ["patch"])
      .complete(async (request, { client }) => {
        const { data } = await client.get(ConfigMap, request);
        await client.patch(ConfigMap, splitKey(request), { data: { count: String(Number(data?.count ?? 0) + 1) } });
      });
  await using running = await operator(env, setup, { ...options, user: "restless" });
  await admin.create(ConfigMap, configMap("restless"));
  await expect(running.settled({ timeoutMs: 500 })).rejects.toThrow("default/restless");
});

it("checks again after a reconcile that ran during the comparison of the cache", async () => {
  const reconciled: string[] = [];
  const setup = (manager: Manager): void =>
    void controllerManagedBy(manager)
      .for(ConfigMap, only("between"))
      .complete((request) => void reconciled.push(request));
  await using running = await operator(env, setup, { ...options, user: "between" });
  const { cache } = running.manager;
  const behind = cache.behind.bind(cache);
  let looks = 0;
  cache.behind = async (...args) => {
    const found = await behind(...args);
    if (found.length > 0 || looks++ > 0) return found;
    await admin.create(ConfigMap, configMap("between"));
    await expect.poll(() => reconciled).toEqual(["default/between"]);
    return found;
  };
  await running.settled();
  expect(looks).toBe(2);
});

it("names an object that is missing from the cache", async () => {
  const reconciled: string[] = [];
  const setup = (manager: Manager): void =>
    void controllerManagedBy(manager)
      .for(ConfigMap, only("cut"))
      .complete((request) => void reconciled.push(request));
  await using running = await operator(env, setup, { ...options, user: "cut" });
  await running.settled();
  try {
    env.faults.hang({ kind: ConfigMap, verb: "watch" });
    env.faults.cutWatches(ConfigMap);
    await admin.create(ConfigMap, configMap("cut"));
    const error = "not settled within 500 ms: the cache is out of date for v1, Kind=ConfigMap default/cut";
    await expect(running.settled({ timeoutMs: 500 })).rejects.toThrow(error);
    expect(reconciled).toEqual([]);
  } finally {
    await env.faults.clear();
  }
});
