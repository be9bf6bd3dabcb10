import { isInvalid, metadataOnly, unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { PatchBody, Target } from "../contract/objects.ts";
import { ConfigMap, Namespace, Pod, TokenReview } from "../kinds/index.ts";
import type { Client } from "./client.ts";
import { stubbed } from "./testing/stubbed-client.ts";

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
