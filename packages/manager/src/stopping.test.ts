import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { admissionHandler, allowed } from "@kubewright/webhook";
import { expect, it, onTestFinished, vi } from "vitest";
import { Cluster } from "./cluster.ts";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";
import type { GroupName } from "./runnable.ts";
import { startManager } from "./testing/start-manager.ts";

/** An API server that defers writes by an hour, and denies everything else. */
async function denying() {
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    asked.add(`${request.method} ${(request.url ?? "").replace(/\?.*/, "")}`);
    const code = request.method === "POST" ? 429 : 403;
    const status = {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      code,
      message: "denied",
      reason: "Forbidden",
    };
    response.writeHead(code, { "content-type": "application/json", ...(code === 429 && { "retry-after": "3600" }) });
    response.end(JSON.stringify(status));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A manager whose clock stands still: waits for a time never end. */
const managerOf = (server: string, options: ManagerOptions = {}): Manager =>
  new Manager({
    connection: { server },
    metrics: { bindAddress: "0" },
    logger: silentLogger,
    clock: new FakeClock(),
    ...options,
  });

/** Runs the manager until the API server has received a request, then stops it. */
async function runAndStop(manager: Manager, api: { readonly asked: ReadonlySet<string> }, asked: string) {
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await vi.waitFor(() => expect([...api.asked]).toContain(asked));
  stop.abort();
  await running;
}

const secrets = "GET /api/v1/secrets";
const secret = { metadata: { name: "key", namespace: "shop" } };

it.each<[string, GroupName, string, (manager: Manager) => Promise<unknown>, unknown]>([
  ["a cached get", "leaderElection", secrets, ({ client }) => client.get(Secret, "shop/key"), "CacheStoppingError"],
  ["a cached list", "others", secrets, ({ client }) => client.list(Secret), "CacheStoppingError"],
  ["a kind's sync", "leaderElection", secrets, ({ cache }) => cache.getInformer(Secret).synced(), false],
  ["a handler's sync", "others", secrets, ({ cache }) => cache.getInformer(Secret).addHandler({}).synced(), false],
  [
    "the sync of all",
    "others",
    secrets,
    ({ cache }) => {
      cache.getInformer(Secret);
      return cache.waitForSync();
    },
    false,
  ],
  [
    "a write that is deferred",
    "leaderElection",
    "POST /api/v1/namespaces/shop/secrets",
    ({ client }) => client.create(Secret, secret),
    "StatusError",
  ],
  [
    "a write of any replica",
    "others",
    "POST /api/v1/namespaces/shop/secrets",
    ({ unfenced }) => unfenced.apiReader.create(Secret, secret),
    "StatusError",
  ],
])("ends at once although a caller waits for %s", async (_what, group, asked, wait, outcome) => {
  await using api = await denying();
  const manager = managerOf(api.url);
  let came: unknown = "nothing";
  manager.add({
    group,
    run: async () => {
      came = await wait(manager).catch(({ name }: Error) => name);
    },
  });
  await runAndStop(manager, api, asked);
  expect(came).toBe(outcome);
});

it("ends at once although an additional cluster never syncs, and a caller reads from it", async () => {
  await using api = await denying();
  const [manager, elsewhere] = [
    managerOf(api.url),
    new Cluster({ connection: { server: api.url }, logger: silentLogger }),
  ];
  manager.add(elsewhere);
  const reading = manager.elected.then(() => elsewhere.client.get(Secret, "shop/key"));
  manager.add({ run: async () => void (await reading.catch(() => {})) });
  await runAndStop(manager, api, secrets);
  await expect(reading).rejects.toThrow("the cache is stopping, and v1, Kind=Secret has not synced; last error");
});

it("ends at once although it may not read the Lease, or the Secret with the certificate of its webhooks", async () => {
  await using api = await denying();
  const manager = managerOf(api.url, {
    leaderElection: { id: "shop", namespace: "shop" },
    webhooks: { certificates: { secret: "shop/certificate" } },
  });
  manager.webhooks.add(admissionHandler("/pods", { rules: [] }, () => allowed()));
  const lease = "GET /apis/coordination.k8s.io/v1/namespaces/shop/leases/shop";
  await runAndStop(manager, api, lease);
  expect([...api.asked]).toContain("GET /api/v1/namespaces/shop/secrets/certificate");
});

it("ends at once although a kind must sync before anything else starts", async () => {
  await using api = await denying();
  const manager = managerOf(api.url);
  manager.cache.getInformer(Secret);
  let hasStarted = false;
  manager.add({
    group: "others",
    run: async () => {
      hasStarted = true;
    },
  });
  await runAndStop(manager, api, secrets);
  expect(hasStarted).toBe(false);
});

/** An API server that answers when the test allows it. */
async function heldApi() {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => asked.resolve(response));
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: asked.promise };
}

it("waits at the end for an event that is being written", async () => {
  const { url, asked } = await heldApi();
  const { manager, stop, run, outcome, clock } = startManager({ connection: { server: url } });
  await clock.advance(0);
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "ns" } };
  manager.recorderFor("x").event(pod, { reason: "Ending", action: "End", note: "ends" });
  const response = await asked;
  stop.abort();
  await sleep(50); // enough time to end
  expect(outcome()).toBe("running");
  response.writeHead(201, { "content-type": "application/json" }).end("{}");
  await run;
  expect(outcome()).toBe("stopped");
});

it("counts no requests on a connection that outlives it", async () => {
  const { url, asked } = await heldApi();
  await using connection = new Connection({ server: url });
  const client = new Client({ connection });
  const { manager, stop, run } = startManager({ connection });
  const counted = async () => (await manager.metrics.metrics()).match(/^rest_client_requests_total\{.*$/gm);
  stop.abort();
  await run;
  const got = client.get(ConfigMap, "default/a");
  (await asked).writeHead(200, { "content-type": "application/json" }).end('{"metadata":{"name":"a"}}');
  await got;
  expect(await counted()).toBeNull();
});
