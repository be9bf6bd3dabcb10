import { isNoMatch, isNotFound, unstructured } from "@kubewright/apimachinery";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Client, type ClientOptions } from "./client.ts";
import { ConfigMap, Deployment, Namespace, Pod, ServiceAccount } from "./kinds/index.ts";
import type { Reader, ReadWriter } from "./reader-writer.ts";
import { type StubAnswer, StubApi, type StubRequest, type StubTakeover } from "./testing/stub-api.ts";

const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "web", resourceVersion: "7" },
};

async function stubbed(
  answer: (request: StubRequest) => StubAnswer | StubTakeover = () => ({ body: configMap }),
  options: Partial<ClientOptions> = {},
) {
  const api = await StubApi.start(answer);
  const client = new Client({ connection: { server: api.url }, ...options });
  return {
    api,
    client,
    last: () => api.requests.at(-1),
    async [Symbol.asyncDispose]() {
      await client.close();
      await api[Symbol.asyncDispose]();
    },
  };
}

describe("Client reads", () => {
  it("gets an object by key, in a namespace or in none", async () => {
    await using stub = await stubbed();

    expect(await stub.client.get(ConfigMap, "web/a")).toEqual(configMap);
    expect(stub.last()).toMatchObject({ method: "GET", url: "/api/v1/namespaces/web/configmaps/a" });
    await stub.client.get(Deployment, { namespace: "web", name: "d" });
    expect(stub.last()?.url).toBe("/apis/apps/v1/namespaces/web/deployments/d");
    await stub.client.get(Namespace, "web");
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web");
  });

  it("refuses to guess a namespace", async () => {
    await using stub = await stubbed();

    await expect(stub.client.get(ConfigMap, "a")).rejects.toThrow(
      "get ConfigMap a: objects of this kind are in a namespace, and none is given",
    );
    await expect(stub.client.create(ConfigMap, { metadata: { name: "a" } })).rejects.toThrow("create ConfigMap");
  });

  it("throws what the server refused", async () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      reason: "NotFound",
      message: 'configmaps "a" not found',
      code: 404,
    };
    await using stub = await stubbed(() => ({ status: 404, body: status }));

    const failure = await stub.client.get(ConfigMap, "web/a").catch((error: unknown) => error);
    expect(isNotFound(failure)).toBe(true);
  });

  it("tells a kind that is not served from an object that is not there", async () => {
    await using stub = await stubbed(() => ({ status: 404, body: "404 page not found\n" }));
    const site = unstructured({
      apiVersion: "shop.example.com/v1",
      kind: "Site",
      plural: "sites",
      scope: "Namespaced",
    });

    const failure = await stub.client.get(site, "web/a").catch((error: unknown) => error);
    expect(isNoMatch(failure)).toBe(true);
    expect(failure).toMatchObject({ message: 'no matches for kind "Site" in version "shop.example.com/v1"' });
  });

  it("lists as an array with metadata, and puts the type on the items", async () => {
    const { apiVersion, kind, ...item } = configMap;
    await using stub = await stubbed(() => ({
      body: { kind: "ConfigMapList", metadata: { resourceVersion: "9" }, items: [item] },
    }));

    const list = await stub.client.list(ConfigMap, {
      namespace: "web",
      labels: { app: "shop" },
      fields: { "metadata.name": "a" },
      limit: 5,
    });

    expect(list).toEqual([{ apiVersion, kind, ...item }]);
    expect(list.metadata.resourceVersion).toBe("9");
    expect(stub.last()).toMatchObject({
      path: "/api/v1/namespaces/web/configmaps",
      query: { labelSelector: "app=shop", fieldSelector: "metadata.name=a", limit: "5" },
    });
  });

  it("takes a list without items as empty", async () => {
    await using stub = await stubbed(() => ({ body: { metadata: {}, items: null } }));

    expect(await stub.client.list(Pod)).toEqual([]);
  });

  it("fetches page after page until there is no token", async () => {
    await using stub = await stubbed(({ query }) => ({
      body: { metadata: query.continue === "t2" ? {} : { continue: query.continue ? "t2" : "t1" }, items: [configMap] },
    }));

    const sizes = [];
    for await (const page of stub.client.listPages(ConfigMap, { limit: 1, resourceVersion: "5" }))
      sizes.push(page.length);

    expect(sizes).toEqual([1, 1, 1]);
    expect(stub.api.requests.map(({ query }) => query)).toEqual([
      { limit: "1", resourceVersion: "5" },
      { limit: "1", continue: "t1" },
      { limit: "1", continue: "t2" },
    ]);
  });

  it("fits where a Reader or ReadWriter is wanted, and hands out what may be changed", async () => {
    expectTypeOf<Client>().toExtend<ReadWriter>();
    expectTypeOf<Client>().toExtend<Reader>();
    await using stub = await stubbed();
    const own = await stub.client.get(ConfigMap, "web/a");
    own.data = { changed: "yes" };
    const reader: Reader = stub.client;
    const shared = await reader.get(ConfigMap, "web/a");
    // @ts-expect-error what a Reader hands out is read-only
    shared.data = {};
  });
});

describe("Client writes", () => {
  it("fills the type in, and adds owner, validation and dry run", async () => {
    await using stub = await stubbed(undefined, { fieldOwner: "me", fieldValidation: "Strict" });

    await stub.client.create(
      ConfigMap,
      { metadata: { generateName: "a-", namespace: "web" }, data: { k: "v" } },
      { dryRun: true },
    );
    expect(stub.last()).toMatchObject({
      method: "POST",
      path: "/api/v1/namespaces/web/configmaps",
      query: { fieldManager: "me", fieldValidation: "Strict", dryRun: "All" },
    });
    expect(JSON.parse(stub.last()?.body ?? "")).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { generateName: "a-", namespace: "web" },
      data: { k: "v" },
    });

    await stub.client.update(ConfigMap, configMap, { fieldOwner: "you", fieldValidation: "Warn" });
    expect(stub.last()).toMatchObject({ method: "PUT", query: { fieldManager: "you", fieldValidation: "Warn" } });
  });

  it("leaves managedFields out of updates: a cached object has only a part of them", async () => {
    await using stub = await stubbed();

    await stub.client.update(ConfigMap, {
      ...configMap,
      metadata: { ...configMap.metadata, managedFields: [{ manager: "me" }] },
    });
    expect(JSON.parse(stub.last()?.body ?? "")).toEqual(configMap);
  });

  it("refuses objects of another kind", async () => {
    await using stub = await stubbed();

    await expect(stub.client.update(ConfigMap, { ...configMap, kind: "Secret" })).rejects.toThrow(
      "update ConfigMap: the object is of v1, Kind=Secret, not of v1, Kind=ConfigMap",
    );
  });

  it.each([
    ["merge", "application/merge-patch+json"],
    ["json", "application/json-patch+json"],
    ["strategic", "application/strategic-merge-patch+json"],
    ["apply", "application/apply-patch+yaml"],
  ] as const)("sends a %s patch as %s", async (type, contentType) => {
    await using stub = await stubbed();

    await stub.client.patch(
      ConfigMap,
      "web/a",
      type === "json" ? [{ op: "remove", path: "/data" }] : { data: { a: null } },
      { type },
    );
    expect(stub.last()).toMatchObject({ method: "PATCH", headers: { "content-type": contentType } });
  });

  it("locks a patch to the version it was made from", async () => {
    await using stub = await stubbed();

    await stub.client.patch(ConfigMap, configMap, { data: { a: "1" } }, { optimisticLock: true });
    expect(JSON.parse(stub.last()?.body ?? "")).toEqual({ data: { a: "1" }, metadata: { resourceVersion: "7" } });
    await stub.client.patch(ConfigMap, configMap, [{ op: "remove", path: "/data" }], {
      type: "json",
      optimisticLock: true,
    });
    expect(JSON.parse(stub.last()?.body ?? "")[0]).toEqual({
      op: "test",
      path: "/metadata/resourceVersion",
      value: "7",
    });
    await expect(stub.client.patch(ConfigMap, "web/a", {}, { optimisticLock: true })).rejects.toThrow(
      "optimisticLock needs an object",
    );
  });

  it("applies with owner and force", async () => {
    await using stub = await stubbed(undefined, { fieldOwner: "me" });

    await stub.client.apply(
      ConfigMap,
      { metadata: { name: "a", namespace: "web" }, data: { k: "v" } },
      { force: true },
    );
    expect(stub.last()).toMatchObject({ method: "PATCH", query: { fieldManager: "me", force: "true" } });
    expect(JSON.parse(stub.last()?.body ?? "")).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  });

  it("deletes with preconditions, propagation and grace", async () => {
    await using stub = await stubbed(() => ({ body: { kind: "Status", status: "Success" } }));

    await stub.client.delete(ConfigMap, configMap, {
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    expect(stub.last()).toMatchObject({ method: "DELETE", url: "/api/v1/namespaces/web/configmaps/a" });
    expect(JSON.parse(stub.last()?.body ?? "")).toEqual({
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: ["All"],
    });

    await stub.client.deleteCollection(ConfigMap, { namespace: "web", labels: { app: "shop" } });
    expect(stub.last()).toMatchObject({
      method: "DELETE",
      path: "/api/v1/namespaces/web/configmaps",
      query: { labelSelector: "app=shop" },
    });
  });

  it("writes status through its subresource, a patch about the status alone", async () => {
    await using stub = await stubbed();

    await stub.client.status.patch(Deployment, "web/d", { readyReplicas: 1 });
    expect(stub.last()).toMatchObject({ method: "PATCH", url: "/apis/apps/v1/namespaces/web/deployments/d/status" });
    expect(JSON.parse(stub.last()?.body ?? "")).toEqual({ status: { readyReplicas: 1 } });
    await stub.client.status.get(Deployment, "web/d");
    expect(stub.last()?.method).toBe("GET");
  });

  it("reaches subresources, with the type and name of their bodies filled in", async () => {
    await using stub = await stubbed(() => ({ body: { spec: { replicas: 3 } } }));

    expect((await stub.client.subResource("scale").get(Deployment, "web/d")).spec.replicas).toBe(3);
    await stub.client.subResource("token").create(ServiceAccount, "web/sa", { spec: { audiences: ["x"] } });
    expect(JSON.parse(stub.last()?.body ?? "")).toEqual({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: { namespace: "web", name: "sa" },
      spec: { audiences: ["x"] },
    });
    await stub.client.subResource("eviction").create(Pod, "web/p", {});
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web/pods/p/eviction");
    await stub.client.subResource("log").getText(Pod, "web/p", { query: { container: "c" } });
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web/pods/p/log?container=c");
  });

  it("carries numbers that no double can hold through a read-modify-write", async () => {
    const text = '{"apiVersion":"x.io/v1","kind":"Big","metadata":{"name":"a"},"spec":{"id":9007199254740993}}';
    await using stub = await stubbed(() => ({ body: text }));
    const big = unstructured({ apiVersion: "x.io/v1", kind: "Big", plural: "bigs", scope: "Cluster" });

    await stub.client.update(big, await stub.client.get(big, "a"));
    expect(stub.last()?.body).toContain('"id":9007199254740993');
  });

  it("hands warnings to the handler", async () => {
    const seen: string[] = [];
    await using stub = await stubbed(() => ({ body: configMap, headers: { warning: '299 - "old"' } }), {
      onWarning: (text) => seen.push(text),
    });

    await stub.client.get(ConfigMap, "web/a");
    expect(seen).toEqual(["old"]);
  });
});

describe("Client.watch", () => {
  const event = (type: string, name: string): string => `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

  it("yields events as they come, and closes the request when the loop is left", async () => {
    let closed = false;
    await using stub = await stubbed(() => (response, { socket }) => {
      socket.once("close", () => {
        closed = true;
      });
      response.write(event("ADDED", "a") + event("MODIFIED", "a"));
    });

    const types = [];
    for await (const { type } of stub.client.watch(ConfigMap, {
      namespace: "web",
      resourceVersion: "5",
      timeoutMs: 1_500,
      labels: { a: "b" },
    })) {
      types.push(type);
      if (types.length === 2) break;
    }
    expect(types).toEqual(["ADDED", "MODIFIED"]);
    expect(stub.last()?.query).toEqual({
      watch: "true",
      resourceVersion: "5",
      allowWatchBookmarks: "true",
      timeoutSeconds: "2",
      labelSelector: "a=b",
    });
    await expect.poll(() => closed).toBe(true);
  });

  it("ends without error when the server ends it or the signal aborts", async () => {
    const aborter = new AbortController();
    await using stub = await stubbed(({ query }) => (response) => {
      response.write(event("ADDED", "a"));
      if (query.resourceVersion) response.end();
    });
    const names = async (resourceVersion?: string): Promise<string[]> => {
      const seen: string[] = [];
      for await (const { object } of stub.client.watch(ConfigMap, { resourceVersion, signal: aborter.signal })) {
        if ("name" in object.metadata) seen.push(object.metadata.name);
        if (!resourceVersion) aborter.abort();
      }
      return seen;
    };

    expect(await names("1")).toEqual(["a"]);
    expect(await names()).toEqual(["a"]);
    expect(await names()).toEqual([]);
  });

  it("asks for the initial events in the way servers demand", async () => {
    await using stub = await stubbed(() => ({ body: "" }));

    for await (const _ of stub.client.watch(ConfigMap, { sendInitialEvents: true }));
    expect(stub.last()?.query).toMatchObject({ sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" });
  });

  it("gives the bytes of objects to those who parse later", async () => {
    await using stub = await stubbed(() => ({ body: event("ADDED", "a") }));

    for await (const { object } of stub.client.watchRaw(ConfigMap))
      expect(object.toString()).toBe('{"metadata":{"name":"a"}}');
  });
});
