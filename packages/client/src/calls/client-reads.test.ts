import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isNoMatch,
  isNotFound,
  isUnauthorized,
  metadataOnly,
  type Stored,
  unstructured,
} from "@kubewright/apimachinery";
import { isPanic } from "@kubewright/log";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { isConnectionError } from "../connection/connection-error.ts";
import type { Reader } from "../contract/reader.ts";
import type { ReadWriter, SubResourceBody } from "../contract/writer.ts";
import { ConfigMap, Deployment, Namespace, Pod, type SelfSubjectAccessReview } from "../kinds/index.ts";
import { configMap, stubbed } from "../testing/stubbed-client.ts";
import { Client } from "./client.ts";

describe("Client reads", () => {
  it("returns the bytes of a list for later parsing", async () => {
    await using stub = await stubbed(() => ({ body: { metadata: { resourceVersion: "7" }, items: [configMap] } }));

    const body = await stub.client.listRaw(ConfigMap, { limit: 5 });
    expect(JSON.parse(body.toString())).toEqual({ metadata: { resourceVersion: "7" }, items: [configMap] });
    expect(stub.last()?.query).toEqual({ limit: "5" });
  });

  it("gets a namespaced or cluster-scoped object by key", async () => {
    await using stub = await stubbed();

    expect(await stub.client.get(ConfigMap, "web/a")).toEqual(configMap);
    expect(stub.last()).toMatchObject({ method: "GET", url: "/api/v1/namespaces/web/configmaps/a" });
    await stub.client.get(Deployment, { namespace: "web", name: "d" });
    expect(stub.last()?.url).toBe("/apis/apps/v1/namespaces/web/deployments/d");
    await stub.client.get(Namespace, "web");
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web");
  });

  it("reports call and remedy if the server rejects the credentials", async () => {
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Unauthorized", code: 401 };
    await using stub = await stubbed(() => ({ status: 401, body: { ...status, message: "Unauthorized" } }));

    const error: unknown = await stub.client.get(ConfigMap, "web/a").catch((reason: unknown) => reason);
    expect(error).toSatisfy(isUnauthorized);
    expect(String(error)).toBe(
      "StatusError: get ConfigMap web/a: Unauthorized: the server rejected the credentials: the token, certificate or login is wrong " +
        "or has expired (in a kubeconfig: users[].user)",
    );
  });

  it.each<[string, string]>([
    ["null", "the response is null, not an object"],
    ["[]", "the response is a list, not an object"],
    ['"text"', "the response is a string, not an object"],
    ["", "the response is not JSON"],
    ['{"items":[{},null]}', "items[1] in the response is null, not an object"],
    ['{"items":[[]]}', "items[0] in the response is a list, not an object"],
    ['{"items":{}}', '"items" in the response is an object, not a list'],
  ])("reports an unusable response: %s", async (body, problem) => {
    await using stub = await stubbed(() => ({ body }));
    const { client } = stub;
    const calls = /^"?items/.test(problem)
      ? { "list ConfigMap": client.list(ConfigMap), "list Pod": client.list(metadataOnly(Pod)) }
      : { "list ConfigMap": client.list(ConfigMap), "get ConfigMap web/a": client.get(ConfigMap, "web/a") };
    for (const [what, call] of Object.entries<Promise<unknown>>(calls)) {
      const error: unknown = await call.catch((reason: unknown) => reason);
      expect([String(error), isPanic(error)]).toEqual([`Error: ${what}: ${problem}`, false]);
    }
    if (/^"?items/.test(problem)) return;
    await expect(client.discovery.groups()).rejects.toThrow(`discover: ${problem}`);
    await expect(client.discovery.serverVersion()).rejects.toThrow(`get the server's version: ${problem}`);
  });

  it("refuses to guess a namespace", async () => {
    await using stub = await stubbed();

    await expect(stub.client.get(ConfigMap, "a")).rejects.toThrow(
      "get ConfigMap a: objects of this kind are namespaced",
    );
    await expect(stub.client.create(ConfigMap, { metadata: { name: "a" } })).rejects.toThrow("create ConfigMap");
  });

  it("throws the server's refusal", async () => {
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

  it("distinguishes a kind that is not served from a missing object", async () => {
    await using stub = await stubbed(() => ({ status: 404, body: "404 page not found\n" }));
    const site = unstructured({
      apiVersion: "shop.example.com/v1",
      kind: "Site",
      plural: "sites",
      scope: "Namespaced",
    });

    const watching = async () => {
      for await (const _ of stub.client.watch(site));
    };
    for (const call of [stub.client.get(site, "web/a"), stub.client.list(site), watching()]) {
      const failure: unknown = await call.catch((error: unknown) => error);
      expect([isNoMatch(failure), isNotFound(failure)]).toEqual([true, false]);
      expect(failure).toMatchObject({
        message:
          'no matches for kind "Site" in version "shop.example.com/v1": is its CustomResourceDefinition installed? (kubectl apply -f <definition>.yaml)',
        cause: { code: 404 },
      });
    }
  });

  it("recognises a kind that is not served by a Status without details, and no other 404", async () => {
    const refusing = (message: string, details: object) => {
      const body = {
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason: "NotFound",
        message,
        details,
        code: 404,
      };
      return stubbed(() => ({ status: 404, body }));
    };
    await using gone = await refusing("the server could not find the requested resource", {});
    await expect(gone.client.get(ConfigMap, "web/a")).rejects.toThrow(
      'no matches for kind "ConfigMap" in version "v1": this API server does not serve it',
    );
    await expect(gone.client.status.get(ConfigMap, "web/a")).rejects.toSatisfy(isNotFound);
    const absent = { name: "a", kind: "configmaps" };
    for (const [message, details] of [
      ['configmaps "a" not found', absent],
      ["the server could not find the requested resource", absent],
      ["gone for lunch", {}],
    ] as const) {
      await using missing = await refusing(message, details);
      await expect(missing.client.get(ConfigMap, "web/a")).rejects.toSatisfy(isNotFound);
    }
  });

  it("lists as an array with metadata, and adds the type to the items", async () => {
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

  it("treats a list without items as empty", async () => {
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

  it("ends with an error if continue tokens repeat", async () => {
    await using stub = await stubbed(({ query }) => ({
      body: { metadata: { continue: query.continue === "t1" ? "t2" : "t1" }, items: [configMap] },
    }));

    const listing = async (): Promise<void> => {
      for await (const _ of stub.client.listPages(ConfigMap, { limit: 1 }));
    };
    await expect(listing()).rejects.toThrow("list ConfigMap: the server sent the same continue token twice");
    expect(stub.api.requests).toHaveLength(3);
  });

  it("is assignable to Reader and ReadWriter, and returns objects that may be changed", async () => {
    expectTypeOf<Client>().toExtend<ReadWriter>();
    expectTypeOf<Client>().toExtend<Reader>();
    await using stub = await stubbed();
    const own = await stub.client.get(ConfigMap, "web/a");
    own.data = { changed: "yes" };
    const reader: Reader = stub.client;
    const shared = await reader.get(ConfigMap, "web/a");
    // @ts-expect-error objects of a Reader are read-only
    shared.data = {};
  });

  it("returns the fields that a server sets in every object, for every call", async () => {
    await using stub = await stubbed(({ path }) =>
      path.startsWith("/api/v1/namespaces/web/configmaps?")
        ? { body: { kind: "ConfigMapList", metadata: {}, items: [configMap] } }
        : { body: configMap },
    );
    const { client } = stub;
    let site = await client.get(ConfigMap, "web/a");
    site = await client.update(ConfigMap, { ...site, data: { changed: "yes" } });
    site = await client.status.update(ConfigMap, site);
    const plain: ConfigMap = site;
    expect(plain).toBe(site);
    expectTypeOf(site.metadata.uid).toEqualTypeOf<string>();
    expectTypeOf(site.metadata.creationTimestamp).toEqualTypeOf<string>();
    expectTypeOf<ReturnType<typeof client.create<ConfigMap>>>().resolves.toEqualTypeOf<Stored<ConfigMap>>();
    expectTypeOf<ReturnType<typeof client.patch<ConfigMap>>>().resolves.toEqualTypeOf<Stored<ConfigMap>>();
    expectTypeOf<ReturnType<typeof client.apply<ConfigMap>>>().resolves.toEqualTypeOf<Stored<ConfigMap>>();
    const reader: Reader = client;
    const [first] = await reader.list(ConfigMap, { namespace: "web" });
    expectTypeOf<NonNullable<typeof first>["metadata"]["uid"]>().toEqualTypeOf<string>();
    for await (const [own] of client.listPages(ConfigMap, { namespace: "web" }))
      expectTypeOf<NonNullable<typeof own>["metadata"]["uid"]>().toEqualTypeOf<string>();
    type Change = Exclude<
      ReturnType<typeof client.watch<ConfigMap>> extends AsyncGenerator<infer Event> ? Event : never,
      { type: "BOOKMARK" }
    >;
    expectTypeOf<Change["object"]["metadata"]["uid"]>().toEqualTypeOf<string>();
  });

  it("has no uid in the type of objects that are not stored", () => {
    type Review = Awaited<ReturnType<typeof Client.prototype.create<SelfSubjectAccessReview>>>;
    expectTypeOf<Review>().toEqualTypeOf<SelfSubjectAccessReview>();
    expectTypeOf<Review["metadata"]["uid"]>().toEqualTypeOf<undefined>();
    expectTypeOf<SubResourceBody<"token">["metadata"]["uid"]>().toEqualTypeOf<undefined>();
    expectTypeOf<SubResourceBody<"scale">["metadata"]["uid"]>().toEqualTypeOf<string>();
  });
});

it("finds the cluster like kubectl, at the first request, if no connection is given", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-client-"));
  const before = process.env.KUBECONFIG;
  onTestFinished(() => {
    if (before === undefined) delete process.env.KUBECONFIG;
    else process.env.KUBECONFIG = before;
    rmSync(folder, { recursive: true });
  });
  process.env.KUBECONFIG = join(folder, "kubeconfig");
  await using client = new Client({});
  writeFileSync(
    process.env.KUBECONFIG,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "a",
      clusters: [{ name: "a", cluster: { server: "http://127.0.0.1:1" } }],
      contexts: [{ name: "a", context: { cluster: "a" } }],
    }),
  );
  expect(client.connection.settings.server).toBe("http://127.0.0.1:1");
  await using other = new Client();
  await expect(other.list(Pod)).rejects.toSatisfy(isConnectionError);
});
