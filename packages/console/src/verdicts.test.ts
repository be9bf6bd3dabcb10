import type { Kind } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ConfigMap, Lease, Namespace } from "@kubewright/client/kinds";
import { type Reconciler, TerminalError } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addConsole } from "./console.ts";
import { addController } from "./testing/live-console.ts";

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client?.close();
  await env?.stop();
});

interface Asked {
  readonly status: number;
  readonly body: { readonly verdict?: { readonly tone: string; readonly text: string }; readonly message?: string };
}

/** Starts a program with one controller and a console, and returns functions that query the console. */
async function start(reconcile: Reconciler, options: ManagerOptions = {}, kind: Kind = ConfigMap) {
  const manager = new Manager({
    ...{ connection: env.connection(), name: "shop", metrics: { bindAddress: "0" }, logger: silentLogger },
    ...options,
  });
  const isNotIgnored = ({ object }: { object: { metadata: { labels?: object } } }) =>
    !("ignored" in (object.metadata.labels ?? {}));
  addController(manager, "shop", kind, reconcile, [isNotIgnored]);
  const view = addConsole(manager, { bindAddress: "127.0.0.1:0" });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await Promise.race([view.ready(), running]);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const base = `http://127.0.0.1:${view.port}/debug/kubewright/v1/`;
  const token = view.newUrl().split("#t=")[1] ?? "";
  const answer = await fetch(`${base}session`, { method: "POST", body: token });
  const headers = { "kubewright-session": String(Object(await answer.json()).session) };
  const ask = async (path: string, method = "GET"): Promise<Asked> => {
    const response = await fetch(base + path, { method, headers });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const verdict = async (key: string) => {
    const { body } = await ask(`reconciles?controller=shop&key=${encodeURIComponent(key)}`);
    return `${body.verdict?.tone}: ${body.verdict?.text}`;
  };
  const shows = (key: string, text: RegExp) => expect.poll(() => verdict(key), { timeout: 10_000 }).toMatch(text);
  return { manager, ask, verdict, shows };
}

const time = String.raw`\d+(\.\d)? (ms|s|min)`;
const matching = (text: string) => new RegExp(`^${text.replaceAll("TIME", time)}$`);
const make = (name: string, more: object = {}, namespace = "default") =>
  client.create(ConfigMap, { metadata: { namespace, name, ...more } });

describe("the verdict on an object", { timeout: 30_000 }, () => {
  it("contains the version at which it was reconciled, or the predicate that dropped its update", async () => {
    const { shows } = await start(() => {});
    const { metadata } = await make("done");
    await shows("default/done", matching(`good: Reconciled at resource version ${metadata.resourceVersion} TIME ago`));
    const patched = await client.patch(ConfigMap, { metadata }, { metadata: { labels: { ignored: "" } } });
    const version = patched.metadata.resourceVersion;
    const dropped = `${version} was dropped by the predicate isNotIgnored TIME ago`;
    await shows(
      "default/done",
      matching(
        `good: Reconciled at resource version ${metadata.resourceVersion} TIME ago; resource version ${dropped}`,
      ),
    );
    const { metadata: ignored } = await make("ignored", { labels: { ignored: "" } });
    const reason = `${ignored.resourceVersion} was dropped by the predicate isNotIgnored TIME ago`;
    await shows("default/ignored", matching(`neutral: Not reconciled: resource version ${reason}`));
    await client.delete(ConfigMap, { metadata });
    await shows("default/done", matching(`neutral: Deleted; last reconciled at resource version \\d+ TIME ago`));
  });

  it("contains the next reconcile, or what it waits for", async () => {
    const gate = Promise.withResolvers<void>();
    const { shows, ask } = await start(async (key) => {
      if (key === "default/later") return { requeueAfterMs: 40_000 };
      if (key === "default/slow") await gate.promise;
      return {};
    });
    await make("later");
    await shows("default/later", matching("neutral: Due in TIME; reconciled at resource version \\d+ TIME ago"));
    await make("slow");
    await shows("default/slow", matching("good: Its reconcile has been running for TIME"));
    await make("queued");
    await shows("default/queued", matching("warning: Waiting behind default/slow, which has been running for TIME"));
    gate.resolve();
    await shows("default/queued", matching("good: Reconciled at .*"));
    expect(await ask("actions/shop?do=pause&key=default/queued", "POST")).toMatchObject({ status: 200 });
    await shows("default/queued", matching("warning: Paused by a local user TIME ago"));
    expect(await ask("actions/shop?do=resume&key=default/queued", "POST")).toMatchObject({ status: 200 });
    await shows("default/queued", matching("good: Reconciled at .*"));
    expect(await ask("actions/shop?do=resume&key=default/queued", "POST")).toEqual({
      status: 409,
      body: { message: "cannot resume default/queued now" },
    });
  });

  it("contains the error and the next retry, or that there is none", async () => {
    const { shows } = await start((key) => {
      if (key === "default/fails") throw new Error("token=x refused");
      if (key === "default/wrong") throw new TerminalError(new Error("size: not a number"));
    });
    await make("fails");
    await shows(
      "default/fails",
      /^bad: Failed \d+ times in .*, (retried in .*|next in the queue): token=\(hidden\) refused$/,
    );
    await make("wrong");
    const why = "terminal error: size: not a number";
    await shows("default/wrong", matching(`bad: Gave up TIME ago \\(terminal error\\), waiting for a change: ${why}`));
  });

  it("contains the finalizer that a deletion waits for", async () => {
    const { shows } = await start(() => {});
    const { metadata } = await make("held", { finalizers: ["example.com/billing"] });
    await client.delete(ConfigMap, { metadata });
    const waits = "Deleting for TIME, waiting for the finalizer example.com/billing";
    await shows("default/held", matching(`warning: ${waits}; reconciled at resource version \\d+ TIME ago`));
    await client.patch(ConfigMap, { metadata }, { metadata: { finalizers: null } });
  });

  it("reports a namespace that is not cached", async () => {
    await client.create(Namespace, { metadata: { name: "elsewhere" } });
    await make("there", {}, "elsewhere");
    const { shows } = await start(() => {}, { cacheOptions: { namespaces: { default: {} } } });
    await shows(
      "elsewhere/there",
      matching("warning: The namespace elsewhere is not cached: the program watches only default"),
    );
  });

  it("contains the leader if another replica reconciles", async () => {
    const now = new Date().toISOString().replace("Z", "000Z");
    await client.create(Lease, {
      metadata: { namespace: "default", name: "shop-lease" },
      spec: { holderIdentity: "shop-7f9c", leaseDurationSeconds: 3_600, acquireTime: now, renewTime: now },
    });
    const { shows, ask } = await start(() => {}, { leaderElection: { id: "shop-lease", namespace: "default" } });
    await shows("default/done", matching("neutral: Owned by another replica: the leader shop-7f9c"));
    const { status, body } = await ask("actions/shop?do=reconcile&key=default/done", "POST");
    expect([status, body.message]).toEqual([
      409,
      "only the leader shop-7f9c can do this, because it runs the controller",
    ]);
  });

  it("contains the replica that holds the object's shard", async () => {
    // Shards move quickly, but are not lost on a busy machine.
    const times = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 100 };
    const sharding = { shards: 4, id: "shop-shards", namespace: "default", ...times };
    const a = await start(() => {}, { sharding: { ...sharding, identity: "shop-a" } });
    const b = await start(() => {}, { sharding: { ...sharding, identity: "shop-b" } });
    const holders = async ({ ask }: typeof a) =>
      Object((await ask("shards")).body).shards.map(({ holder }: { holder: string }) => holder);
    const halves = ["shop-a", "shop-a", "shop-b", "shop-b"];
    for (const one of [a, b])
      await expect.poll(async () => (await holders(one)).sort(), { timeout: 20_000 }).toEqual(halves);
    const keys = Array.from({ length: 100 }, (_, at) => `default/sharded-${at}`);
    const key = keys.find((one) => a.manager.shards?.held.includes(a.manager.shards.shardOf(one))) ?? "";
    const shard = a.manager.shards?.shardOf(key);
    const { metadata } = await make(key.split("/")[1] ?? "");
    await a.shows(key, matching(`good: Reconciled at resource version ${metadata.resourceVersion} TIME ago`));
    await b.shows(key, matching(`neutral: Owned by another replica: shop-a holds its shard ${shard}`));
    for (const action of ["reconcile", "pause"])
      expect(await b.ask(`actions/shop?do=${action}&key=${key}`, "POST")).toEqual({
        status: 409,
        body: { message: `only the replica shop-a can do this, because it holds shard ${shard}` },
      });
    expect((await a.ask(`actions/shop?do=reconcile&key=${key}`, "POST")).status).toBe(200);
    expect(Object((await a.ask("overview")).body).isSharded).toBe(true);
    expect(Object((await a.ask("shards")).body)).toMatchObject({
      ...{ identity: "shop-a", replicas: ["shop-a", "shop-b"], moves: { lost: 0 } },
    });
  });

  it("is a sentence for keys and kinds that do not exist", async () => {
    const { shows, ask } = await start(() => {});
    expect(await ask("shards")).toEqual({ status: 404, body: { message: "this program does not use sharding" } });
    await shows(
      "default/nobody",
      matching("neutral: Does not exist; has not been reconciled since the program started"),
    );
    await shows("a/b/c", matching('neutral: Does not exist: key: "a/b/c" is not valid; use namespace/name'));
    expect(await ask("objects/shop?key=a/b/c")).toEqual({
      status: 400,
      body: { message: 'key: "a/b/c" is not valid; use namespace/name' },
    });
    const Widget: Kind = {
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      scope: "Namespaced",
    };
    const unserved = await start(() => {}, {}, Widget);
    const text = "The API server does not serve Widget.example.com, so no object of this kind exists. Install its CRD.";
    await unserved.shows("default/a", matching(`bad: ${text}`));
    expect(await unserved.ask("objects/shop?key=default/a")).toEqual({
      status: 404,
      body: { message: "the API server does not serve Widget.example.com" },
    });
  });
});

it("lists the objects of a kind in pages, searched by key, with the state of busy ones", async () => {
  const gate = Promise.withResolvers<void>();
  await client.create(Namespace, { metadata: { name: "many" } });
  for (let at = 100; at < 310; at++) await make(`m${at}`, {}, "many");
  const { ask } = await start((key) => (key === "many/m100" ? gate.promise : undefined));
  onTestFinished(() => gate.resolve());
  const page = async (query: string) => Object((await ask(`keys/shop?${query}`)).body);
  await expect
    .poll(async () => (await page("search=many/")).rows[0], { timeout: 10_000 })
    .toEqual({ key: "many/m100", state: "running" });
  const first = await page("search=many/");
  expect([first.kind, first.total, first.rows.length]).toEqual(["ConfigMap", 210, 200]);
  const second = await page("search=many/&after=many/m299");
  expect([second.rows.length, second.rows[0].key]).toEqual([10, "many/m300"]);
  expect(await page("search=nothing")).toMatchObject({ rows: [], total: 0 });
  expect(await ask("keys/none")).toMatchObject({ status: 404 });
});

it("carries out actions only for keys of the kind", async () => {
  const { ask } = await start(() => {});
  const act = (query: string) => ask(`actions/shop?${query}`, "POST");
  expect(await act("do=reconcile&key=default/any")).toEqual({ status: 200, body: { done: "reconcile" } });
  expect((await act("do=delete&key=default/any")).status).toBe(400);
  expect((await act("do=pause&key=a/b/c")).status).toBe(400);
  expect((await ask("actions/none?do=pause&key=a/b", "POST")).status).toBe(404);
  expect((await ask("actions/shop?do=pause&key=a/b")).status).toBe(404);
});
