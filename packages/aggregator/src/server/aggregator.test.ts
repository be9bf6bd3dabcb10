import { ApiRequest, requestInfo } from "@kubewright/apiserver/endpoints";
import { type Responder, TestWebhookServer } from "@kubewright/apiserver/testing";
import { silentLogger } from "@kubewright/log";
import { expect, it, vi } from "vitest";
import { apiService, registry } from "../status/testing/registry.ts";
import { Aggregator } from "./aggregator.ts";

const name = "v1.g.io";
const service = { namespace: "a", name: "b", port: 443 };
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const listed = {
  kind: "APIGroupDiscoveryList",
  items: [{ metadata: { name: "g.io" }, versions: [{ version: "v1", resources: [] }] }],
};
const text =
  (body: unknown, code = 200, contentType = "application/json"): Responder =>
  () => ({ body, code, contentType });
const answers: Readonly<Record<string, Responder>> = {
  "/apis": text(listed, 200, aggregated),
  "/apis/g.io/v1": text({}),
  "/apis/g.io/v1/things": text("things"),
  "/openapi/v3": text({ paths: { "apis/g.io/v1": { serverRelativeURL: "/x?hash=AB" } } }),
  "/openapi/v3/apis/g.io/v1": text("document"),
  "/openapi/v2": text({ paths: { "/apis/g.io/v1/things": { get: {} } } }),
};

/** Returns a running aggregator, and an extension server as the Service `b` in the namespace `a`. */
async function running() {
  const there = await registry();
  const server = await TestWebhookServer.start(answers, ["b.a.svc"]);
  const [changed, stop] = [vi.fn(), new AbortController()];
  const aggregator = new Aggregator({
    ...{ storage: there.storage, clock: there.clock, scope: there.scope, logger: silentLogger, changed },
    ...{ proxyCertificate: undefined, identity: { names: [], prefixes: [] } },
    resolveService: async () => ({ host: "127.0.0.1", port: server.port }),
  });
  const ran = aggregator.run(stop.signal);
  await aggregator.synced;
  const close = async (): Promise<void> => {
    stop.abort();
    await ran;
    await server[Symbol.asyncDispose]();
    await there[Symbol.asyncDispose]();
  };
  const create = (prefix: string, named: string, object: object) =>
    there.storage.create(`${prefix}/a/${named}`, {
      ...{ apiVersion: "v1", kind: "X", metadata: { name: named, namespace: "a" }, ...object },
    });
  return {
    ...there,
    ...{ aggregator, server, changed, stop, ran },
    spec: { service, caBundle: server.caBundle },
    reason: async (of = name) => (await there.conditions(of))[0]?.reason,
    service: () => create("/core/services", "b", { spec: { ports: [{ name: "tls", port: 443 }] } }),
    slice: () =>
      create("/discovery.k8s.io/endpointslices", "b-1", {
        metadata: { name: "b-1", namespace: "a", labels: { "kubernetes.io/service-name": "b" } },
        ...{ endpoints: [{ addresses: ["127.0.0.1"] }], ports: [{ name: "tls", port: 8443 }] },
      }),
    [Symbol.asyncDispose]: close,
  };
}

/** Returns whether a request is handled, and the response. */
async function ask(aggregator: Aggregator, path: string) {
  const sent = { code: 0, text: "", headersSent: false };
  const response = {
    ...{
      headersSent: false,
      statusCode: 0,
      setHeader: () => {},
      getHeader: () => {},
      on: () => {},
      off: () => {},
      destroy: () => {},
    },
    writeHead: (code: number) => Object.assign(sent, { code }),
    write: (chunk: Buffer) => Object.assign(sent, { text: sent.text + String(chunk) }) && true,
    end: (chunk = "") => Object.assign(sent, { text: sent.text + String(chunk) }),
  };
  const request = new ApiRequest({
    ...{ incoming: { method: "GET", headers: {}, socket: {} } as never, response: response as never },
    ...{ query: new URLSearchParams(), receivedMs: 0, auditId: "id", stopping: new AbortController().signal },
    info: requestInfo("GET", path, new URLSearchParams()),
  });
  return (await aggregator.serve(request)) ? [sent.code, sent.text] : "not taken";
}

it("reports local versions as always available, and does not serve them", async () => {
  await using there = await running();
  await there.create(name, {});
  await vi.waitFor(async () => expect(await there.conditions(name)).toHaveLength(1));
  expect(await there.conditions(name)).toMatchObject([
    { status: "True", reason: "Local", message: "Local APIServices are always available" },
  ]);
  expect(there.aggregator.versions()).toEqual([]);
  expect(await ask(there.aggregator, "/apis/g.io/v1/things")).toBe("not taken");
  expect(there.aggregator.priorityOf("g.io", "v1")).toEqual({ group: 7, version: 3 });
  expect(there.changed).toHaveBeenCalled();
});

it("follows the Service and its endpoints until it is reachable, and then forwards requests", async () => {
  await using there = await running();
  const { aggregator } = there;
  await there.create("v1.other.io", { group: "other.io" });
  await there.create(name, there.spec);
  await vi.waitFor(async () => expect(await there.reason()).toBe("ServiceNotFound"));
  expect(await there.reason("v1.other.io")).toBe("Local");
  expect(await ask(aggregator, "/apis/g.io/v1/things")).toEqual([503, "service unavailable\n"]);
  await there.service();
  await vi.waitFor(async () => expect(await there.reason()).toBe("EndpointsNotFound"));
  const { generation } = aggregator;
  await there.slice();
  await vi.waitFor(async () => expect(await there.reason()).toBe("Passed"));
  await vi.waitFor(() => expect(aggregator.openApiPaths().size).toBe(1));
  await vi.waitFor(() =>
    expect(aggregator.versions()).toEqual([
      { group: "g.io", version: "v1", entry: { version: "v1", resources: [], freshness: "Current" } },
    ]),
  );
  expect(aggregator.generation).toBeGreaterThan(generation);
  expect([...aggregator.openApiPaths()]).toEqual([["apis/g.io/v1", "/openapi/v3/apis/g.io/v1?hash=AB"]]);
  expect(aggregator.withSwagger({ paths: { "/version": {} } })).toMatchObject({
    paths: { "/version": {}, "/apis/g.io/v1/things": { get: {} } },
  });
  expect(await ask(aggregator, "/apis/g.io/v1/things")).toEqual([200, "things"]);
  expect(await ask(aggregator, "/openapi/v3/apis/g.io/v1")).toEqual([200, "document"]);
  for (const path of ["/openapi/v3/apis/g.io/v2", "/openapi/v3/apis/g.io/v1/x", "/openapi/v3", "/apis/g.io/v2/things"])
    expect(await ask(aggregator, path)).toBe("not taken");
  for (const path of ["/api/v1/pods", "/apis/other.io/v1/things", "/version"])
    expect(await ask(aggregator, path)).toBe("not taken");
  await there.storage.delete("/core/services/a/b");
  await vi.waitFor(async () => expect(await there.reason()).toBe("ServiceNotFound"));
  await vi.waitFor(() => expect(aggregator.versions()[0]?.entry).toEqual({ version: "v1", freshness: "Stale" }));
  expect(aggregator.openApiPaths().size).toBe(1); // discovery shows the previous state
});

it("also serves the core group for others", async () => {
  await using there = await running();
  const core = apiService("v1.", { ...there.spec, group: "" });
  await there.storage.create("/apiregistration.k8s.io/apiservices/v1.", core);
  await vi.waitFor(() => expect(there.aggregator.versions()).toHaveLength(1));
  expect(await ask(there.aggregator, "/api/v1/pods")).toEqual([503, "service unavailable\n"]);
  expect(await ask(there.aggregator, "/apis/v1/pods")).toBe("not taken");
});

it("checks again if a Service moves, but not on its own writes", async () => {
  await using there = await running();
  const found = vi.spyOn(there.storage, "get");
  const looked = () => found.mock.calls.filter(([key]) => key === "/core/services/a/b").length;
  await there.create(name, there.spec);
  await vi.waitFor(async () => expect(await there.reason()).toBe("ServiceNotFound"));
  await there.clock.advance(0);
  const before = looked();
  await there.clock.advance(29_000);
  expect(looked()).toBe(before);
  await there.clock.advance(1_000);
  await vi.waitFor(() => expect(looked()).toBe(before + 1)); // every thirty seconds
  for (const [namespace, named] of [
    ["a", "other"],
    ["other", "b"],
  ] as const) {
    const other = { apiVersion: "v1", kind: "Service", metadata: { name: named, namespace } };
    await there.storage.create(`/core/services/${namespace}/${named}`, other);
  }
  await there.clock.advance(0);
  expect(looked()).toBe(before + 1); // the connections are different ones
  await there.write(name, "main", (object) => {
    object.spec = { ...(object.spec as object), service: { ...service, name: "c" } };
  });
  await vi.waitFor(async () => {
    const [condition] = await there.conditions(name);
    expect(condition?.message).toBe('service/c in "a" is not present');
  });
  await there.write(name, "status", (object) => {
    object.status = { conditions: [{ type: "Available", status: "True", reason: "Invented" }] };
  });
  await vi.waitFor(async () => expect(await there.reason()).toBe("ServiceNotFound"));
});

it("forgets unregistered and local versions, and ends with its signal", async () => {
  await using there = await running();
  await there.create(name, there.spec);
  await there.create("v2.g.io", { ...there.spec, version: "v2" });
  await vi.waitFor(() => expect(there.aggregator.versions()).toHaveLength(2));
  const { generation } = there.aggregator;
  await there.remove("v2.g.io");
  await vi.waitFor(() => expect(there.aggregator.versions()).toMatchObject([{ version: "v1" }]));
  expect(there.aggregator.generation).toBeGreaterThanOrEqual(generation + 2);
  await there.write(name, "main", (object) => {
    object.spec = { version: "v1", group: "g.io", groupPriorityMinimum: 8, versionPriority: 3 };
  });
  await vi.waitFor(async () => expect(await there.reason()).toBe("Local"));
  expect(there.aggregator.versions()).toEqual([]);
  expect(there.aggregator.priorityOf("g.io", "v1")).toEqual({ group: 8, version: 3 });
  await there.create("v3.g.io", { ...there.spec, version: "v3" });
  await vi.waitFor(() => expect(there.aggregator.versions()).toHaveLength(1));
  there.stop.abort();
  await there.ran;
  expect(there.aggregator.versions()).toEqual([]);
  expect(there.clock.waiting).toBe(0);
});
