import {
  isInvalid,
  labelSelectorFrom,
  metadataOnly,
  ParsedLabelSelector,
  parseFieldSelector,
  unstructured,
} from "@kubewright/apimachinery";
import { recordSpans } from "@kubewright/tracing/testing";
import { describe, expect, it } from "vitest";
import type { PatchBody, Target } from "../contract/objects.ts";
import type { ListOptions } from "../contract/reader.ts";
import { ConfigMap, Deployment, Namespace, Pod, Secret, TokenReview } from "../kinds/index.ts";
import { configMap, stubbed } from "../testing/stubbed-client.ts";
import type { Client } from "./client.ts";
import { listQuery, onceEach, spanOfWrite, warningsOf } from "./object-calls.ts";

const Site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
const patch = { data: { a: "b" } } as PatchBody<ConfigMap>;

const calls: Record<string, (client: Client, target: Target) => Promise<unknown>> = {
  get: (client, target) => client.get(ConfigMap, target as string),
  "get of metadata": (client, target) => client.get(metadataOnly(ConfigMap), target as string),
  "get of an unstructured kind": (client, target) => client.get(Site, target as string),
  patch: (client, target) => client.patch(ConfigMap, target, patch),
  delete: (client, target) => client.delete(ConfigMap, target),
  "delete of an unstructured kind": (client, target) => client.delete(Site, target),
  "status.get": (client, target) => client.status.get(Pod, target),
  "status.patch": (client, target) => client.status.patch(Pod, target, {}),
  "subResource get": (client, target) => client.subResource("scale").get(Pod, target),
  "subResource getText": (client, target) => client.subResource("log").getText(Pod, target),
  "subResource create": (client, target) => client.subResource("eviction").create(Pod, target, {}),
  "subResource update": (client, target) => client.subResource("other").update(Pod, target, {}),
  "subResource patch": (client, target) => client.subResource("other").patch(Pod, target, {}),
};

const type = { apiVersion: "v1", kind: "ConfigMap" };

/** Calls that take whole objects. */
const writes: Record<string, (client: Client, metadata: { name: string; namespace: string }) => Promise<unknown>> = {
  create: (client, metadata) => client.create(ConfigMap, { metadata }),
  update: (client, metadata) => client.update(ConfigMap, { ...type, metadata }),
  apply: (client, metadata) => client.apply(ConfigMap, { metadata }),
  "status.update": (client, metadata) => client.status.update(ConfigMap, { ...type, metadata }),
  "status.apply": (client, metadata) => client.status.apply(Pod, { metadata }),
  "patch of an object": (client, metadata) => client.patch(ConfigMap, { metadata }, patch),
  "delete of an object": (client, metadata) => client.delete(ConfigMap, { metadata }),
};

const unchecked = (value: unknown): string => value as string;
const badNames: readonly [name: unknown, problem: string][] = [
  ["", '"" is empty'],
  [".", `"." may not be '.'`],
  ["..", `".." may not be '..'`],
  ["a/b", `"a/b" may not contain '/'`],
  ["/", `"/" may not contain '/'`],
  ["a%2fb", `"a%2fb" may not contain '%'`],
  ["../%", `"../%" may not contain '/' and may not contain '%'`],
  ["\ud800", '"\\ud800" is not well-formed Unicode'],
  [undefined, "undefined is not a string"],
  [null, "null is not a string"],
  [5, "5 is not a string"],
  [["a"], "an object is not a string"],
];

describe("the name in a path", () => {
  it.each(Object.entries({ ...calls, ...writes }).map(([what]) => what))(
    "is checked before anything is sent: %s",
    async (what) => {
      await using stub = await stubbed();
      for (const [name, problem] of badNames) {
        const metadata = { namespace: "web", name: unchecked(name) };
        const call = calls[what]?.(stub.client, metadata) ?? writes[what]?.(stub.client, metadata);
        if (what === "create") await expect(call, String(name)).rejects.toSatisfy(isInvalid);
        else await expect(call, `${what} ${String(name)}`).rejects.toThrow(`name: ${problem}`);
      }
      for (const namespace of [".", "..", "a/b", "a%", unchecked(5)]) {
        const metadata = { namespace, name: "a" };
        const call = calls[what]?.(stub.client, metadata) ?? writes[what]?.(stub.client, metadata);
        await expect(call, `${what} in ${namespace}`).rejects.toThrow(
          /: namespace: .*; set it to the name of a namespace$/,
        );
      }
      expect(stub.api.requests).toEqual([]);
    },
  );

  it("is also checked in keys that are text", async () => {
    await using stub = await stubbed();
    for (const key of ["", "web/", "/", "web/.", "web/..", "web/a%"])
      await expect(stub.client.delete(ConfigMap, key), key).rejects.toThrow("delete ConfigMap: name: ");
    await expect(stub.client.delete(Namespace, "")).rejects.toThrow(
      'delete Namespace: name: "" is empty; set it to the name of one object',
    );
    expect(stub.api.requests).toEqual([]);
  });

  it("appears in the message, truncated if it is long", async () => {
    await using stub = await stubbed();
    const call = stub.client.get(ConfigMap, { namespace: "web", name: "/".repeat(100_000) });
    const message = await call.then(String, String);
    expect(message).toContain("may not contain '/'");
    expect(message.length).toBeLessThan(300);
  });

  it("may be absent from an object that is created with generateName, and from a review", async () => {
    await using stub = await stubbed();
    await stub.client.create(ConfigMap, { metadata: { namespace: "web", generateName: "a-" } });
    await stub.client.create(ConfigMap, { metadata: { namespace: "web", name: "", generateName: "a-" } });
    await stub.client.create(TokenReview, { metadata: {}, spec: { token: "t" } });
    expect(stub.api.requests).toHaveLength(3);
    for (const metadata of [{}, { name: "" }, { generateName: "" }])
      await expect(stub.client.create(ConfigMap, { metadata: { ...metadata, namespace: "web" } })).rejects.toThrow(
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      );
    for (const [name, problem] of [
      ["a/b", `"a/b": may not contain '/'`],
      ["\ud800", "must be well-formed Unicode"],
      [unchecked(5), "5: must be a string"],
    ] as const)
      await expect(
        stub.client.create(ConfigMap, { metadata: { name, generateName: "a-", namespace: "web" } }),
      ).rejects.toThrow(problem);
    expect(stub.api.requests).toHaveLength(3);
  });

  it("is percent-encoded: the server decides whether it is one", async () => {
    await using stub = await stubbed();
    await stub.client.get(ConfigMap, { namespace: "a b", name: "é?x=1#y z:+" });
    expect(stub.last()?.url).toBe("/api/v1/namespaces/a%20b/configmaps/%C3%A9%3Fx%3D1%23y%20z%3A%2B");
    expect(stub.last()?.query).toEqual({});
    await stub.client.get(ConfigMap, "web/...");
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web/configmaps/...");
  });
});

describe("the namespace in a path", () => {
  it("is checked in calls on collections, and in the client's own", async () => {
    await using stub = await stubbed();
    for (const namespace of [".", "..", "a/b", "a%"]) {
      const problem = `namespace: ${JSON.stringify(namespace)} may not`;
      await expect(stub.client.list(ConfigMap, { namespace })).rejects.toThrow(`list ConfigMap: ${problem}`);
      await expect(stub.client.listRaw(ConfigMap, { namespace })).rejects.toThrow(problem);
      await expect(stub.client.watch(ConfigMap, { namespace }).next()).rejects.toThrow(problem);
      await expect(stub.client.deleteCollection(ConfigMap, { namespace })).rejects.toThrow(problem);
      await expect(stub.client.with({ namespace }).get(ConfigMap, "a")).rejects.toThrow(problem);
    }
    expect(stub.api.requests).toEqual([]);
  });

  it("may be absent in lists, but not when deleting a collection", async () => {
    await using stub = await stubbed(() => ({ body: { items: [] } }));
    await stub.client.list(ConfigMap, { namespace: "" });
    expect(stub.last()?.url).toBe("/api/v1/configmaps");
    for (const options of [{}, { namespace: "" }])
      await expect(stub.client.deleteCollection(ConfigMap, options)).rejects.toThrow(
        "objects of this kind are namespaced; set the namespace",
      );
    await stub.client.deleteCollection(Namespace);
    expect(stub.api.requests).toHaveLength(2);
  });
});

it.each([
  ["plural", { plural: "" }],
  ["plural", { plural: "pods/a" }],
  ["plural", { plural: ".." }],
  ["version", { version: "" }],
  ["version", { version: "v1/namespaces" }],
  ["group", { group: "../api" }],
])("the %s of a kind is checked before anything is sent: %j", async (field, part) => {
  await using stub = await stubbed();
  const kind = { group: "x.io", version: "v1", kind: "Odd", plural: "odds", scope: "Namespaced", ...part } as const;
  await expect(stub.client.delete(kind, "web/a")).rejects.toThrow(`delete Odd: ${field} of the kind: `);
  expect(stub.api.requests).toEqual([]);
});

describe("the subresource in a path", () => {
  it.each(["", "/", "a/", "../a", "a/../b", ".", "a%2fb"])("is not %j", async (name) => {
    await using stub = await stubbed();
    await expect(stub.client.subResource(name).update(Pod, "web/a", {})).rejects.toThrow(
      `: subresource: ${JSON.stringify(name)} is not a valid name`,
    );
    expect(stub.api.requests).toEqual([]);
  });

  it("may have several parts, each percent-encoded", async () => {
    await using stub = await stubbed();
    await stub.client.subResource("proxy/metrics?x").getText(Pod, "web/a");
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web/pods/a/proxy/metrics%3Fx");
  });
});

const labels = (selector: ListOptions["labels"]) => listQuery({ labels: selector }).labelSelector;
const fields = (selector: ListOptions["fields"]) => listQuery({ fields: selector }).fieldSelector;

it("writes label selectors of every form", () => {
  expect(labels(undefined)).toBeUndefined();
  expect(labels({})).toBeUndefined();
  expect(labels({ app: "shop", tier: "web" })).toBe("app=shop,tier=web");
  expect(labels("app in (a,b)")).toBe("app in (a,b)");
  expect(labels(labelSelectorFrom({ matchExpressions: [{ key: "a", operator: "Exists" }] }))).toBe("a");
  expect(labels(ParsedLabelSelector.everything)).toBeUndefined();
});

it("keeps a selector of nothing from selecting everything", () => {
  expect(labels(ParsedLabelSelector.nothing)).toBe("nothing,!nothing");
});

it("passes a shard selector on to every page, and leaves it out by default", () => {
  const shardSelector = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
  expect(listQuery({ shardSelector, continue: "token" }).shardSelector).toBe(shardSelector);
  expect(listQuery({}).shardSelector).toBeUndefined();
});

it("writes field selectors, with escaped values", () => {
  expect(fields(undefined)).toBeUndefined();
  expect(fields({ "metadata.name": "a", "spec.x": "b,c=d\\e" })).toBe("metadata.name=a,spec.x=b\\,c\\=d\\\\e");
  expect(fields(parseFieldSelector("a!=b"))).toBe("a!=b");
});

describe("warningsOf", () => {
  it("reads one or several headers, joined or not", () => {
    expect(warningsOf({})).toEqual([]);
    expect(warningsOf({ warning: '299 - "unknown field \\"spec.x\\""' })).toEqual(['unknown field "spec.x"']);
    expect(warningsOf({ warning: '299 - "a, b", 299 kube "c"' })).toEqual(["a, b", "c"]);
    expect(warningsOf({ warning: ['299 - "a"', '199 - "not for us"', '299 - "b"'] })).toEqual(["a", "b"]);
  });
});

describe("onceEach", () => {
  it("passes a text on the first time only", () => {
    const seen: string[] = [];
    const handler = onceEach((text) => seen.push(text));
    for (const text of ["a", "b", "a"]) handler(text);

    expect(seen).toEqual(["a", "b"]);
  });
});

it("makes a span for each call, with its object and server", async () => {
  using recording = recordSpans();
  await using stub = await stubbed(() => ({ body: { ...configMap, items: [] } }));
  const { client } = stub;
  await client.get(Deployment, "web/shop");
  await client.list(Pod, { namespace: "web", labels: { app: "secret" } });
  await client.patch(ConfigMap, "web/a", { data: { key: "hunter2" } });
  await client.get(Namespace, "web");
  await client.delete(Secret, "web/token");

  expect(recording.spans.map(({ name, kind, hasEnded }) => [name, kind, hasEnded])).toEqual(
    ["get Deployment", "list Pod", "patch ConfigMap", "get Namespace", "delete Secret"].map((what) => [
      `client ${what}`,
      2,
      true,
    ]),
  );
  const { hostname, port, origin } = new URL(stub.api.url);
  expect(recording.spans[0]?.attributes).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "k8s.deployment.name": "shop",
    "k8s.namespace.name": "web",
    "kubewright.client.verb": "get",
    "kubewright.object.group": "apps",
    "kubewright.object.kind": "Deployment",
    "kubewright.object.name": "shop",
    "server.address": hostname,
    "server.port": Number(port),
    "url.full": `${origin}/apis/apps/v1/namespaces/web/deployments/shop`,
  });
  expect(recording.spans[3]?.attributes).toMatchObject({ "k8s.namespace.name": "web" });
  expect(JSON.stringify(recording.spans)).not.toMatch(/hunter2|app=secret|app%3Dsecret/);
});

it("records refused calls, and calls without a response", async () => {
  using recording = recordSpans();
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, reason: "Conflict", message: "no", code: 409 };
  await using stub = await stubbed(() => ({ status: 409, body: status }));
  await expect(stub.client.get(ConfigMap, "web/a")).rejects.toThrow("no");
  await stub.api[Symbol.asyncDispose]();
  await expect(stub.client.update(ConfigMap, configMap)).rejects.toThrow("update ConfigMap");
  expect(recording.spans).toMatchObject([
    {
      attributes: { "http.response.status_code": 409, "error.type": "StatusError" },
      status: { code: 2, message: "no" },
    },
    { name: "client update ConfigMap", attributes: { "error.type": "ConnectionError" }, hasEnded: true },
  ]);
  expect(recording.spans[1]?.attributes).not.toHaveProperty("http.response.status_code");
}, 60_000);

it("ends the span of a watch when the watch begins", async () => {
  using recording = recordSpans();
  const event = `${JSON.stringify({ type: "ADDED", object: configMap })}\n`;
  await using stub = await stubbed(() => (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(event);
  });
  for await (const _ of stub.client.watch(ConfigMap, { namespace: "web" })) break;
  expect(recording.spans).toMatchObject([
    {
      name: "client watch ConfigMap",
      attributes: { "http.response.status_code": 200 },
      status: { code: 0 },
      hasEnded: true,
    },
  ]);
});

it("returns the span that first wrote an object in a version, and none for reads", async () => {
  using recording = recordSpans();
  const written = { ...configMap, metadata: { ...configMap.metadata, resourceVersion: "70" } };
  await using stub = await stubbed(() => ({ body: written }));
  await stub.client.get(ConfigMap, "web/a");
  expect(spanOfWrite("ConfigMap", "web/a", "70")).toBeUndefined();
  await stub.client.patch(ConfigMap, "web/a", { data: { key: "value" } });
  await stub.client.patch(ConfigMap, "web/a", {}); // changes nothing, so the version stays
  expect(spanOfWrite("ConfigMap", "web/a", "70")).toEqual(recording.spans[1]?.spanContext());
  expect(spanOfWrite("ConfigMap", "web/a", "71")).toBeUndefined();
  expect(spanOfWrite("ConfigMap", "web/b", "70")).toBeUndefined();
  expect(spanOfWrite("Secret", "web/a", "70")).toBeUndefined();
});

it("sends no trace headers: they belong to the HTTP instrumentation, and must not be sent twice", async () => {
  using _recording = recordSpans();
  await using stub = await stubbed();
  await stub.client.get(ConfigMap, "web/a");
  expect(stub.last()?.headers).not.toHaveProperty("traceparent");
});
