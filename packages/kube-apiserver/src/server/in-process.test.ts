import { nextTurn, systemClock, withPromiseTurns } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const admin = { name: "admin", groups: ["system:masters"] };

interface Options {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

describe("a server that does not listen", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock(), authorization: ["RBAC"] });
  });
  afterAll(() => server.stop());

  const open = (path: string, { method = "GET", headers = {}, body, signal }: Options = {}, user = admin) =>
    server.handle(
      {
        method,
        path,
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: Buffer.from(body) }),
        ...(signal ? { signal } : {}),
      },
      user,
    );
  const ask = async (path: string, options?: Options) => {
    const { status, headers, body } = await open(path, options);
    return { status, headers, text: await textOf(body) };
  };
  const create = (name: string, data = "") =>
    ask(configMaps, {
      method: "POST",
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { data } }),
    });

  it("has no port, no certificates and no kubeconfig", async () => {
    expect(server.port).toBe(0);
    expect(server.caData).toBe("");
    expect(Object.keys(server.connection())).toEqual(["server", "handle"]);
    expect(() => server.kubeconfig()).toThrow("a server that does not listen has no kubeconfig");
    const { text } = await ask("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
    expect(text).not.toContain("CERTIFICATE");
  });

  it("authenticates a request without a user by its headers", async () => {
    const statusOf = async (headers: Options["headers"] = {}) =>
      (await server.handle({ method: "GET", path: configMaps, headers })).status;
    const { token } = server.addUser({ name: "root", groups: ["system:masters"] });
    expect(await statusOf()).toBe(403);
    expect(await statusOf({ authorization: "Bearer unknown" })).toBe(401);
    expect(await statusOf({ Authorization: `Bearer ${token}` })).toBe(200);
  });

  it("adds the sender to the group of authenticated users", async () => {
    const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const response = await open(path, { method: "POST", body }, { name: "jane", groups: ["dev"] });
    expect(JSON.parse(await textOf(response.body)).status.userInfo).toEqual({
      username: "jane",
      groups: ["dev", "system:authenticated"],
    });
  });

  it("limits the size of bodies, headers and paths, and rejects invalid paths", async () => {
    expect((await create("large", "x".repeat(3 * 1024 * 1024))).status).toBe(413);
    expect((await ask(configMaps, { headers: { "x-long": "x".repeat(1024 * 1024) } })).status).toBe(431);
    expect((await ask(configMaps, { headers: { x: Array<string>(250_000).fill("") } })).status).toBe(431);
    expect((await ask(`${configMaps}?a=${"x".repeat(1024 * 1024)}`)).status).toBe(431);
    expect((await ask("/api/v1/name spaces")).status).toBe(400);
    expect((await ask("api")).status).toBe(400);
  });

  it("never compresses responses", async () => {
    await create("compressible", "x".repeat(200_000));
    const { headers, text } = await ask(`${configMaps}/compressible`, { headers: { "accept-encoding": "gzip" } });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(text).toContain("x".repeat(200_000));
    await ask(`${configMaps}/compressible`, { method: "DELETE" });
  });

  it("ends a watch when its reader leaves or its signal aborts", async () => {
    const left = await open(`${configMaps}?watch=true&resourceVersion=0`);
    const reader = left.body[Symbol.asyncIterator]();
    const next = reader.next();
    const controller = new AbortController();
    const aborted = await open(`${configMaps}?watch=true`, { signal: controller.signal });
    const rest = expect(textOf(aborted.body)).rejects.toThrow("enough");
    expect(server.watchCount).toBe(2);
    await reader.return?.();
    controller.abort(new Error("enough"));
    await Promise.all([rest, expect(next).rejects.toThrow("discarded")]);
    await settled();
    expect(server.watchCount).toBe(0);
  });

  it("writes to a watch only as fast as it is read", async () => {
    const { body } = await open(`${configMaps}?watch=true`);
    for (let i = 0; i < 20; i++) {
      await create(`slow-${i}`, "x".repeat(100_000));
      await settled();
    }
    expect(server.faults.cutWatches()).toBe(1); // its reader still receives what was written
    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of body) bytes += chunk.byteLength;
    })();
    await expect(reading).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(500_000);

    const other = await open(`${configMaps}?watch=true&resourceVersion=0`);
    let read = 0;
    for await (const chunk of other.body) {
      read += chunk.byteLength;
      if (read > 2_000_000) break;
    }
    await ask(configMaps, { method: "DELETE" });
  });

  it("drops requests in progress, and refuses requests while it does not run", async () => {
    const { body } = await open(`${configMaps}?watch=true`);
    const watching = expect(textOf(body)).rejects.toMatchObject({ code: "ECONNRESET" });
    server.dropConnections();
    await watching;
    server.faults.refuseConnections(true);
    await expect(open(configMaps)).rejects.toMatchObject({ code: "ECONNRESET" });
    server.faults.clear();
    const restarting = server.restart();
    await expect(open(configMaps)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await restarting;
    expect((await ask(configMaps)).status).toBe(200);
  });

  it("delivers what was written before a watch was cut", async () => {
    const { body } = await open(`${configMaps}?watch=true&resourceVersion=0`);
    await create("before-cut");
    await settled();
    expect(server.faults.cutWatches()).toBe(1);
    await create("after-cut");
    let text = "";
    const reading = (async () => {
      for await (const chunk of body) text += Buffer.from(chunk).toString();
    })();
    await expect(reading).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(text).toContain("before-cut");
    expect(text).not.toContain("after-cut");
  });
});

const site = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.shop.example.com" },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced",
    names: { plural: "sites", singular: "site", kind: "Site", listKind: "SiteList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { name: { type: "string" } },
                "x-kubernetes-validations": [{ rule: "self.name.matches('^[a-z]+$')" }],
              },
            },
          },
        },
      },
    ],
  },
};

it("handles requests within one turn of the event loop if it has its own clock", async () => {
  await using server = await ApiServer.start({ listen: false, clock: new FakeClock(), authorization: ["RBAC"] });
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  const ask = async (method: string, path: string, object?: object) => {
    const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    const body = object && { body: Buffer.from(JSON.stringify(object)) };
    const response = await server.handle({ method, path, headers, ...body }, admin);
    return [response.status, await textOf(response.body)] as const;
  };
  const watch = await server.handle({ method: "GET", path: "/api/v1/pods?watch=true", headers: {} }, admin);
  let text = "";
  const watching = (async () => {
    for await (const chunk of watch.body) text += Buffer.from(chunk).toString();
  })();

  await server.installDefinitions([site]);
  const sites = "/apis/shop.example.com/v1/namespaces/default/sites";
  const siteNamed = (name: string) => ({
    apiVersion: "shop.example.com/v1",
    kind: "Site",
    metadata: { name },
    spec: { name },
  });
  expect((await ask("POST", sites, siteNamed("a")))[0]).toBe(201);
  expect((await ask("POST", sites, siteNamed("1")))[0]).toBe(422);
  await Promise.all(Array.from({ length: 150 }, (_, i) => ask("POST", configMaps, { metadata: { name: `c${i}` } })));
  expect((await ask("DELETE", configMaps))[0]).toBe(200);
  expect(JSON.parse((await ask("GET", configMaps))[1]).items).toEqual([]);

  const pods = "/api/v1/namespaces/default/pods";
  await ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const container = { name: "a", image: "a" };
  expect((await ask("POST", pods, { metadata: { name: "p" }, spec: { containers: [container] } }))[0]).toBe(201);
  expect((await ask("PATCH", `${pods}/p`, { metadata: { labels: { a: "b" } } }))[0]).toBe(200);
  expect((await ask("DELETE", `${pods}/p`))[0]).toBe(200);
  for (let turn = 0; turn < 3; turn++) await nextTurn(withPromiseTurns(systemClock));
  await server.stop();
  await expect(watching).rejects.toMatchObject({ code: "ECONNRESET" });
  const events = text.trim().split("\n");
  expect(events.map((line) => JSON.parse(line).type)).toEqual(["ADDED", "MODIFIED", "MODIFIED", "DELETED"]);
  expect(hasTurned).toBe(false);
});

/** Waits until all promises have settled. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}
