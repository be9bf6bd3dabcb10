import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";
import { group, version } from "./testing/extension-documents.ts";
import { createService, ExtensionServer } from "./testing/extension-server.ts";

const base = `/apis/${group}/${version}`;
const registered = `/apis/apiregistration.k8s.io/v1/apiservices/${version}.${group}`;
const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

let server: ApiServer;
let api: ApiClient;
let extension: ExtensionServer;

beforeAll(async () => {
  const users = [{ name: "jane/é", groups: ["dev", "ops, all"] }];
  server = await ApiServer.start({ tls: false, users });
  api = new ApiClient(server);
  extension = new ExtensionServer();
  await createService(api);
  const trust = await api.get("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
  await extension.listen(trust.body.data["requestheader-client-ca-file"]);
  expect((await api.post("/apis/apiregistration.k8s.io/v1/apiservices", extension.registration())).status).toBe(201);
  await available();
});
afterAll(async () => {
  api.close();
  await server.stop();
  await extension.close();
});

const condition = async () => (await api.get(registered)).body.status?.conditions?.[0] ?? {};
const available = (reason = "Passed") => vi.waitFor(async () => expect((await condition()).reason).toBe(reason), 5_000);
const last = () => extension.seen.at(-1);

describe("a version from another server", () => {
  it("is in both forms of discovery, behind groups of a higher priority", async () => {
    const { groups } = (await api.get("/apis")).body;
    const names = groups.map(({ name }: { name: string }) => name);
    expect(names.at(0)).toBe("apiregistration.k8s.io");
    expect(names.at(-1)).toBe(group);
    expect((await api.get(`/apis/${group}`)).body.preferredVersion).toEqual({ groupVersion: `${group}/v1`, version });
    expect((await api.get(base)).body.resources[0].name).toBe("orders");
    const aggregated = await vi.waitFor(async () => {
      const { items } = (await api.get("/apis", { headers: { accept } })).body;
      expect(items.at(-1).versions[0].freshness).toBe("Current");
      return items.at(-1);
    }, 5_000);
    expect(aggregated).toMatchObject({
      metadata: { name: group },
      versions: [{ version, resources: [{ resource: "orders", shortNames: ["ord"], scope: "Namespaced" }] }],
    });
  });

  it("adds only its own OpenAPI documents to ours", async () => {
    const index = await vi.waitFor(async () => {
      const { paths } = JSON.parse((await api.get("/openapi/v3")).text);
      expect(paths[`apis/${group}/${version}`]).toBeDefined();
      return paths;
    }, 5_000);
    expect(index[`apis/${group}/${version}`].serverRelativeURL).toBe(`/openapi/v3${base}?hash=ABC123`);
    expect(index["apis/apps/v1"].serverRelativeURL).not.toContain("stolen");
    expect((await api.get(`/openapi/v3${base}?hash=ABC123`)).body).toEqual({ openapi: "3.0.0", orders: true });
    const { paths, definitions } = (await api.get("/openapi/v2")).body;
    expect(paths[`${base}/orders`].get.schema.$ref).toBe("#/definitions/com.example.Order");
    expect(paths["/api/v1/pods"].get.stolen).toBeUndefined();
    expect(definitions["com.example.Order"].properties.pod.$ref).toBe("#/definitions/io.k8s.api.core.v1.Pod_v2");
    expect(definitions["io.k8s.api.core.v1.Pod_v2"]).toEqual({ description: "another pod" });
    expect(definitions["io.k8s.api.core.v1.Pod"].properties.spec).toBeDefined();
    expect(definitions["com.example.Unused"]).toBeUndefined();
  });

  it("receives requests from the front proxy, with the user", async () => {
    const jane = new ApiClient(server, "jane/é");
    const headers = { "x-remote-user": "root", "X-Remote-Extra-Scopes": "all", "x-other": "kept", te: "trailers" };
    const got = await jane.get(`${base}/namespaces/shop/orders/one?b=2&a=1%2F`, { headers });
    jane.close();
    expect(got.body).toMatchObject({ kind: "Order" });
    const seen = last();
    expect(seen).toMatchObject({ isFrontProxy: true, caller: "front-proxy-client", method: "GET" });
    expect(seen?.url).toBe(`${base}/namespaces/shop/orders/one?a=1%2F&b=2`);
    const conditions = Object.fromEntries(
      Object.entries(seen?.headers ?? {}).filter(([name]) => name.startsWith("x-remote")),
    );
    expect(Buffer.from(String(conditions["x-remote-user"]), "latin1").toString()).toBe("jane/é");
    expect(conditions["x-remote-extra-scopes"]).toBeUndefined();
    const groups = seen?.rawHeaders.filter((_, i, all) => all[i - 1]?.toLowerCase() === "x-remote-group");
    expect(groups).toEqual(["dev", "ops, all", "system:authenticated"]);
    expect(seen?.headers.authorization).toBeUndefined();
    expect(seen?.headers.te).toBeUndefined();
    expect(seen?.headers["x-other"]).toBe("kept");
    expect(seen?.headers["audit-id"]).toBe(got.headers["audit-id"]);
  });

  it("receives an impersonated user like any other", async () => {
    const headers = { "impersonate-user": "joe", "impersonate-group": "dev", "impersonate-extra-a%2fb": "c" };
    await api.get(`${base}/namespaces/shop/orders/one`, { headers });
    expect(last()?.headers).toMatchObject({ "x-remote-user": "joe", "x-remote-extra-a%2fb": "c" });
    expect(Object.keys(last()?.headers ?? {}).filter((name) => name.startsWith("impersonate"))).toEqual([]);
  });

  it("forwards bodies and streams as they arrive", async () => {
    extension.answer = (request, response, body) => {
      if (request.method === "POST") {
        response.writeHead(201, { "content-type": "application/json", "x-more": ["1", "2"], connection: "close" });
        response.end(JSON.stringify({ length: body.length }));
        return true;
      }
      if (!request.url?.includes("watch=true")) return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.write(`${JSON.stringify({ type: "ADDED", object: { n: 1 } })}\n`);
      request.socket.once("close", () => {
        isClosed = true;
      });
      return true;
    };
    let isClosed = false;
    const posted = await api.post(`${base}/namespaces/shop/orders`, "x".repeat(1_000_000));
    expect(posted).toMatchObject({ status: 201, body: { length: 1_000_000 } });
    expect(posted.headers["x-more"]).toBe("1, 2");
    for await (const event of api.watch(`${base}/orders?watch=true`)) {
      expect(event).toEqual({ type: "ADDED", object: { n: 1 } });
      break;
    }
    await vi.waitFor(() => expect(isClosed).toBe(true), 5_000); // the extension server notices the disconnection
    extension.answer = undefined;
  });
});

describe("while the extension server is unavailable", () => {
  it("its version is stale and answers 503, everything else works, and it recovers", async () => {
    await extension.close();
    const refused = await api.get(`${base}/namespaces/shop/orders`);
    expect(refused).toMatchObject({
      status: 503,
      text: expect.stringMatching(
        /^error trying to reach service: dial tcp 127.0.0.1:\d+: connect: connection refused\n$/,
      ),
    });
    // the next check updates everything
    await api.patch(registered, "merge", {
      spec: { versionPriority: 20, insecureSkipTLSVerify: true, caBundle: null },
    });
    await available("FailedDiscoveryCheck");
    expect((await condition()).message).toMatch(
      /^failing or missing response from https:\/\/127.0.0.1:\d+\/apis\/shop.example.com\/v1: Get "https:\/\/127.0.0.1:\d+\/apis\/shop.example.com\/v1": dial tcp 127.0.0.1:\d+: connect: connection refused$/,
    );
    const away = await api.get(`${base}/namespaces/shop/orders/one`);
    expect(away).toMatchObject({ status: 503, text: "service unavailable\n" });
    expect(away.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    await vi.waitFor(async () => {
      const { items } = (await api.get("/apis", { headers: { accept } })).body;
      expect(items.at(-1).versions).toEqual([{ version, freshness: "Stale" }]);
    }, 5_000);
    expect((await api.get("/api/v1/namespaces/shop")).status).toBe(200);
    await extension.listen();
    await available();
    expect((await api.get(`${base}/namespaces/shop/orders/one`)).status).toBe(200);
  });

  it("a certificate that does not match the bundle is rejected", async () => {
    await api.patch(registered, "merge", { spec: { insecureSkipTLSVerify: null, caBundle: null } });
    await available("FailedDiscoveryCheck");
    expect((await condition()).message).toContain("tls: failed to verify certificate: x509:");
    await api.patch(registered, "merge", {
      spec: { caBundle: Buffer.from(extension.authority.certificate).toString("base64") },
    });
    await available();
  });

  it("disappears with its APIService", async () => {
    await api.delete(registered);
    await vi.waitFor(async () => expect((await api.get(base)).status).toBe(404), 5_000);
    expect((await api.get(`/apis/${group}`)).status).toBe(404);
    const { items } = (await api.get("/apis", { headers: { accept } })).body;
    expect(items.some(({ metadata }: { metadata: { name: string } }) => metadata.name === group)).toBe(false);
  });
});
