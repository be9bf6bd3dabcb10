import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string, labels = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels } });

describe("watch", () => {
  let server: ApiServer;
  let api: ApiClient;
  beforeEach(async () => {
    server = await ApiServer.start({ tls: false });
    api = new ApiClient(server);
  });
  afterEach(async () => {
    api.close();
    await server.stop();
  });

  async function take(path: string, count: number, headers?: Record<string, string>) {
    const events = [];
    for await (const event of api.watch(path, headers)) {
      events.push(event);
      if (events.length === count) break;
    }
    return events;
  }
  const shown = (events: Awaited<ReturnType<typeof take>>) =>
    events.map(({ type, object }) => `${type} ${object.metadata.name}`);

  it("sends the initial state, then every change", async () => {
    await api.post(configMaps, configMap("a"));
    const events = take(`${configMaps}?watch=true`, 4);
    await api.post(configMaps, configMap("b"));
    await api.patch(`${configMaps}/b`, "merge", { data: { x: "1" } });
    await api.delete(`${configMaps}/b`);
    const seen = shown(await events);
    expect(seen[0]).toBe("ADDED a");
    expect(seen.slice(1)).toContain("ADDED b");
  });

  it("an active watcher receives 2,500 simultaneous deletions without being cut off", async () => {
    const names = Array.from({ length: 2_500 }, (_, index) => `c${index}`);
    await Promise.all(names.map((name) => api.post(configMaps, configMap(name))));
    const { resourceVersion } = (await api.get(`${configMaps}?limit=1`)).body.metadata;
    const events = take(`${configMaps}?watch=true&resourceVersion=${resourceVersion}`, names.length);
    expect((await api.delete(configMaps)).status).toBe(200);
    expect(new Set(shown(await events))).toEqual(new Set(names.map((name) => `DELETED ${name}`)));
  });

  it("streams the list and marks its end", async () => {
    await api.post(configMaps, configMap("a"));
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const [added, end] = await take(`${configMaps}?${query}`, 2);
    expect(added?.object.metadata.name).toBe("a");
    expect(end).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
  });

  it("follows one object by name", async () => {
    const events = take(`${configMaps}?watch=true&fieldSelector=metadata.name%3Db`, 1);
    await api.post(configMaps, configMap("a"));
    await api.post(configMaps, configMap("b"));
    expect(shown(await events)).toEqual(["ADDED b"]);
  });

  it("reports a pod without grace as being deleted, and separately as removed", async () => {
    await using quick = await ApiServer.start({ tls: false, disableAdmissionPlugins: ["ServiceAccount"] });
    const { server: url, token } = quick.connection();
    const pods = "/api/v1/namespaces/default/pods";
    const client = new ApiClient(quick);
    const spec = { containers: [{ name: "a", image: "b" }] };
    await client.post(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec });
    const watch = await fetch(`${url}${pods}?watch=true`, { headers: { authorization: `Bearer ${token}` } });
    const pieces: string[][] = [];
    const read = async (): Promise<void> => {
      for await (const piece of watch.body ?? []) {
        const text = Buffer.from(piece).toString();
        pieces.push(text.match(/ADDED|MODIFIED|DELETED/g) ?? []);
        if (pieces.flat().includes("DELETED")) return;
      }
    };
    const done = read();
    await expect.poll(() => pieces).toEqual([["ADDED"]]);
    await client.delete(`${pods}/a`);
    await done;
    expect(pieces).toEqual([["ADDED"], ["MODIFIED"], ["DELETED"]]);
    client.close();
  });

  it("sends table frames, with columns only in the first", async () => {
    await api.post(configMaps, configMap("a"));
    await api.post(configMaps, configMap("b"));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const [first, second] = await take(`${configMaps}?watch=true`, 2, { accept });
    expect(first?.object.columnDefinitions).toHaveLength(3);
    expect(second?.object.columnDefinitions).toBeNull();
  });

  it("answers a compacted position with an error event and ends", async () => {
    const { body } = await api.post(configMaps, configMap("a"));
    await api.post(configMaps, configMap("b"));
    await server.compact();
    const events = await take(`${configMaps}?watch=true&resourceVersion=${body.metadata.resourceVersion}`, 9);
    expect(events).toMatchObject([{ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } }]);
  });

  it("ends after its timeout", async () => {
    expect(await take(`${configMaps}?watch=true&timeoutSeconds=1`, 9)).toEqual([]);
  });

  it("rejects conflicting parameters", async () => {
    const { body } = await api.get(`${configMaps}?watch=true&sendInitialEvents=true`);
    expect(body.message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  });
});

describe("faults and restart", () => {
  it("restarts on the same port with the same objects, without older positions", async () => {
    await using server = await ApiServer.start({ tls: false });
    const api = new ApiClient(server);
    const { body } = await api.post(configMaps, configMap("a"));
    const { port } = server;
    const watching = collect(api.watch(`${configMaps}?watch=true`)).catch((error: unknown) => error);
    await expect.poll(() => server.watchCount).toBe(1);
    await server.restart();
    expect(await watching).toBeInstanceOf(Error);
    expect(server.port).toBe(port);
    const after = new ApiClient(server);
    expect((await after.get(`${configMaps}/a`)).body.metadata.uid).toBe(body.metadata.uid);
    const [event] = await collect(after.watch(`${configMaps}?watch=true&resourceVersion=1`));
    expect(event?.object.code).toBe(410);
    api.close();
    after.close();
  });

  it("fails, delays and cuts on request", async () => {
    await using server = await ApiServer.start({ tls: false });
    const api = new ApiClient(server);
    server.faults.failNext({ status: 503, resource: "configmaps", verb: "create" });
    expect((await api.post(configMaps, configMap("a"))).body).toMatchObject({
      code: 503,
      reason: "ServiceUnavailable",
    });
    expect((await api.post(configMaps, configMap("a"))).status).toBe(201);
    const expired = collect(api.watch(`${configMaps}?watch=true`));
    await expect.poll(() => server.faults.expireWatches({ kind: "ConfigMap" })).toBe(1);
    expect((await expired).at(-1)?.object.code).toBe(410);
    const cut = collect(api.watch(`${configMaps}?watch=true`)).catch((error: unknown) => error);
    await expect.poll(() => server.faults.cutWatches()).toBe(1);
    expect(await cut).toBeInstanceOf(Error);
    api.close();
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("the query parameter shardSelector", () => {
  const halves = ["'0x0000000000000000', '0x8000000000000000'", "'0x8000000000000000', '0x10000000000000000'"];
  const selected = (range: string): string =>
    `shardSelector=${encodeURIComponent(`shardRange(object.metadata.uid, ${range})`)}`;
  const names = Array.from({ length: 20 }, (_, i) => `shard-${i}`);
  const started = async (gate: boolean): Promise<{ server: ApiServer; api: ApiClient }> => {
    const server = await ApiServer.start({ tls: false, featureGates: { ShardedListAndWatch: gate } });
    const api = new ApiClient(server);
    for (const name of names) await api.post(configMaps, configMap(name, { shard: "" }));
    return { server, api };
  };
  const namesIn = (items: readonly { metadata: { name: string } }[]): string[] =>
    items.map(({ metadata }) => metadata.name).sort();

  it("selects a part of the objects in lists, watches and deletions, if the feature is enabled", async () => {
    const { server, api } = await started(true);
    try {
      const lists = await Promise.all(
        halves.map((half) => api.get(`${configMaps}?labelSelector=shard&${selected(half)}`)),
      );
      const [one = [], other = []] = lists.map(({ body }) => namesIn(body.items));
      expect([...one, ...other].sort()).toEqual([...names].sort());
      expect(one.length * other.length).toBeGreaterThan(0);
      expect(lists[0]?.body.metadata.shardInfo).toEqual({ selector: `shardRange(object.metadata.uid, ${halves[0]})` });
      const [first = ""] = halves;
      const seen: string[] = [];
      for await (const { object } of api.watch(`${configMaps}?watch=1&labelSelector=shard&${selected(first)}`)) {
        seen.push(object.metadata.name);
        if (seen.length === one.length) break;
      }
      expect(seen.sort()).toEqual(one);
      const table = await api.get(`${configMaps}?${selected(first)}`, {
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      });
      expect(table.body.metadata).not.toHaveProperty("shardInfo");
      await api.delete(`${configMaps}?labelSelector=shard&${selected(first)}`);
      expect(namesIn((await api.get(`${configMaps}?labelSelector=shard`)).body.items)).toEqual(other);
      const wrong = await api.get(`${configMaps}?shardSelector=${encodeURIComponent("a && b")}`);
      expect([wrong.status, wrong.body.message]).toEqual([
        500,
        'invalid shard selector: unsupported function "_&&_"; only shardRange() and || are allowed',
      ]);
    } finally {
      api.close();
      await server.stop();
    }
  });

  it("has no effect if the feature is disabled, even if it is not valid", async () => {
    const { server, api } = await started(false);
    try {
      const { status, body } = await api.get(`${configMaps}?labelSelector=shard&shardSelector=x`);
      expect([status, body.items.length, body.metadata.shardInfo]).toEqual([200, names.length, undefined]);
    } finally {
      api.close();
      await server.stop();
    }
  });
});
