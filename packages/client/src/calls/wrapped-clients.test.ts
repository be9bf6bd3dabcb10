import { conflict, isConflict } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { type CachedReader, kubeList, type Reader } from "../contract/reader.ts";
import type { ReadWriter, Writer } from "../contract/writer.ts";
import { ConfigMap, Deployment, Pod } from "../kinds/index.ts";
import { configMap, stubbed } from "../testing/stubbed-client.ts";
import { errorOf, Refused, TestFence } from "../testing/test-fence.ts";
import { Client } from "./client.ts";
import { aroundCalls, aroundWrites, type ReadCall, withReader } from "./wrapped-clients.ts";
import type { WriteCall, WriteInterceptor } from "./write-pipeline.ts";

const key = "web/a";
const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...configMap.metadata, uid: "u" }, spec: { containers: [] } };
const scale = { spec: { replicas: 2 } };
const options = { fieldOwner: "me" };

/** Every write method, and the call it produces, without the kind. */
const writes: [string, (client: Writer) => Promise<unknown>, object][] = [
  ["create", (c) => c.create(ConfigMap, configMap, options), { verb: "create", object: configMap, options }],
  ["update", (c) => c.update(ConfigMap, configMap, options), { verb: "update", object: configMap, options }],
  [
    "patch",
    (c) => c.patch(ConfigMap, key, { data: { a: "b" } }, { type: "strategic" }),
    { verb: "patch", object: named("a"), patch: { data: { a: "b" } }, options: { type: "strategic" } },
  ],
  [
    "a locked patch",
    (c) => c.patch(ConfigMap, configMap, [], { optimisticLock: true }),
    { verb: "patch", object: configMap, patch: [], options: { optimisticLock: true } },
  ],
  [
    "apply",
    (c) => c.apply(ConfigMap, configMap, { force: true }),
    { verb: "apply", object: configMap, options: { force: true } },
  ],
  [
    "delete",
    (c) => c.delete(ConfigMap, { namespace: "web", name: "a" }, { gracePeriodSeconds: 0 }),
    { verb: "delete", object: named("a"), options: { gracePeriodSeconds: 0 } },
  ],
  [
    "deleteCollection",
    (c) => c.deleteCollection(ConfigMap, { namespace: "web", labels: { a: "b" } }),
    { verb: "deleteCollection", options: { namespace: "web", labels: { a: "b" } } },
  ],
  [
    "update of status",
    (c) => c.status.update(Pod, pod),
    { verb: "update", subResource: "status", object: pod, options: {} },
  ],
  [
    "patch of status",
    (c) => c.status.patch(Pod, key, { phase: "Running" }),
    {
      verb: "patch",
      subResource: "status",
      object: named("a"),
      patch: { status: { phase: "Running" } },
      options: {},
    },
  ],
  [
    "JSON patch of status",
    (c) => c.status.patch(Pod, key, [{ op: "remove", path: "/status/phase" }], { type: "json" }),
    {
      verb: "patch",
      subResource: "status",
      object: named("a"),
      patch: [{ op: "remove", path: "/status/phase" }],
      options: { type: "json" },
    },
  ],
  [
    "apply of status",
    (c) => c.status.apply(Pod, pod),
    { verb: "apply", subResource: "status", object: pod, options: {} },
  ],
  [
    "patch of the subresource status",
    (c) => c.subResource("status").patch(Pod, key, { status: {}, metadata: {} }),
    { verb: "patch", subResource: "status", object: named("a"), patch: { status: {}, metadata: {} }, options: {} },
  ],
  [
    "update of the subresource status",
    (c) => c.subResource("status").update(Pod, key, pod),
    { verb: "update", subResource: "status", object: named("a"), body: pod, options: {} },
  ],
  [
    "create of a subresource",
    (c) => c.subResource("eviction").create(Pod, key, {}),
    { verb: "create", subResource: "eviction", object: named("a"), body: {}, options: {} },
  ],
  [
    "update of a subresource",
    (c) => c.subResource("scale").update(Deployment, key, scale),
    { verb: "update", subResource: "scale", object: named("a"), body: scale, options: {} },
  ],
  [
    "patch of a subresource",
    (c) => c.subResource("scale").patch(Deployment, key, scale, { dryRun: true }),
    { verb: "patch", subResource: "scale", object: named("a"), patch: scale, options: { dryRun: true } },
  ],
];

function named(name: string) {
  return { metadata: { name, namespace: "web" } };
}

/** A writer that only records which of its methods was called. */
function noting(used: string[]): Writer {
  const note = (method: string) => async (): Promise<never> => {
    used.push(method);
    return undefined as never;
  };
  const methods = (prefix: string) => ({
    create: note(`${prefix}create`),
    update: note(`${prefix}update`),
    patch: note(`${prefix}patch`),
    apply: note(`${prefix}apply`),
  });
  return {
    ...methods(""),
    delete: note("delete"),
    deleteCollection: note("deleteCollection"),
    status: methods("status."),
    subResource: (name) => ({ ...methods(`subResource ${name} `), get: note("get"), getText: note("getText") }),
  };
}

describe("aroundWrites", () => {
  it.each(writes)("passes a %s to the interceptor and makes it unchanged", async (_what, write, expected) => {
    await using stub = await stubbed();
    const calls: WriteCall[] = [];
    const noted: WriteInterceptor = (call, next) => {
      calls.push(call);
      return next(call);
    };
    const reader = withReader(stub.client, stub.client);
    const clients = [stub.client, aroundWrites(stub.client, noted), aroundWrites(aroundWrites(reader, noted), noted)];
    const [plain, ...answers] = await Promise.all(clients.map((client) => write(client)));
    expect(answers).toEqual([plain, plain]);
    const call = { kind: expect.objectContaining({ kind: expect.any(String) }), ...expected };
    expect(calls).toEqual([call, call, call]);
    const sent = stub.api.requests.map(({ method, url, body, headers }) => [
      method,
      url,
      body,
      headers["content-type"],
    ]);
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
  });

  it.each(writes)("makes a %s with the method that its caller used", async (_what, write) => {
    const used: string[] = [];
    const writer = noting(used);
    await write(writer);
    await write(aroundWrites(writer, (call, next) => next(call)));
    expect(used).toEqual([used[0], used[0]]);
  });

  it("sends a changed call", async () => {
    await using stub = await stubbed();
    const client = aroundWrites(stub.client, (call, next) => {
      if (call.verb !== "create" || call.subResource !== undefined) return next(call);
      const { metadata } = call.object;
      return next({
        ...call,
        object: { ...call.object, metadata: { ...metadata, labels: { ...metadata.labels, team: "web" } } },
        options: { ...call.options, fieldOwner: "labels" },
      });
    });
    await client.create(ConfigMap, configMap);
    expect(JSON.parse(stub.last()?.body ?? "").metadata.labels).toEqual({ team: "web" });
    expect(stub.last()?.query).toEqual({ fieldManager: "labels" });
  });

  it("rejects with the interceptor's error, and lets it repeat the write", async () => {
    await using stub = await stubbed();
    let refusals = 1;
    const failing = aroundWrites(stub.client, async (call, next) => {
      if (call.verb === "update" && refusals-- > 0)
        throw conflict({ group: "", resource: "configmaps" }, "a", "changed");
      return next(call);
    });
    const persistent = aroundWrites(failing, (call, next) => next(call).catch(() => next(call)));
    expect(await errorOf(failing.update(ConfigMap, configMap))).toSatisfy(isConflict);
    expect(stub.api.requests).toHaveLength(0);
    refusals = 1;
    expect(await persistent.update(ConfigMap, configMap)).toEqual(configMap);
    expect(stub.api.requests).toHaveLength(1);
  });

  it("rejects an invalid key, like any write", async () => {
    await using stub = await stubbed();
    const client = aroundWrites(stub.client, (call, next) => next(call));
    expect(await errorOf(client.delete(ConfigMap, "a/b/c"))).toMatchObject({
      message: expect.stringContaining("unexpected key format"),
    });
  });

  it("does not change reads, or methods that only some clients have", async () => {
    await using stub = await stubbed();
    const refused = (): never => {
      throw new Error("not expected");
    };
    const cached = { ...withReader(stub.client, stub.client), caughtUp: async () => true };
    for (const client of [aroundWrites(stub.client, refused), aroundWrites(cached, refused)]) {
      expect(await client.get(ConfigMap, key)).toEqual(configMap);
      expect(await client.subResource("scale").get(Deployment, key)).toEqual(configMap);
      expect(await client.subResource("log").getText(Pod, key)).toBe(JSON.stringify(configMap));
    }
    expect(await aroundWrites(cached, refused).caughtUp(ConfigMap, "7")).toBe(true);
    expect("caughtUp" in aroundWrites(withReader(stub.client, stub.client), refused)).toBe(false);
    expect(Object.keys(aroundWrites(noting([]), refused)).sort()).toEqual(Object.keys(noting([])).sort());
  });

  it("returns a Client for a Client, with the last interceptor outermost", async () => {
    await using stub = await stubbed();
    const passed: string[] = [];
    const named =
      (name: string): WriteInterceptor =>
      async (call, next) => {
        passed.push(name);
        return next(call);
      };
    const client: Client = aroundWrites(aroundWrites(stub.client, named("inner")), named("outer"));
    const other = client.with({ fieldOwner: "me" });
    expect([client, other].map((each) => each.connection)).toEqual([stub.client.connection, stub.client.connection]);
    await other.status.patch(Pod, key, {});
    expect(passed).toEqual(["outer", "inner"]);
    expect(stub.last()?.query).toEqual({ fieldManager: "me" });
    await stub.client.create(ConfigMap, configMap);
    expect(passed).toHaveLength(2);
  });

  it("calls the methods that a subclass of Client overrides", async () => {
    await using stub = await stubbed();
    class Refusing extends Client {
      override async patch(): Promise<never> {
        throw new Error("refused");
      }
    }
    await using client = new Refusing({ connection: stub.client.connection });
    const reader = withReader(client, stub.client);
    expect(await errorOf(reader.patch(ConfigMap, key, {}))).toMatchObject({ message: "refused" });
    expect(await reader.create(ConfigMap, configMap)).toEqual(configMap);
  });

  it("is outside of the client's fence, which is checked for each try as usual", async () => {
    await using stub = await stubbed();
    const fence = new TestFence();
    const client = aroundWrites(stub.client, (call, next) => next(call)).with({ fence });
    for (const [, write] of writes) await write(client);
    expect([stub.api.requests.length, fence.asked]).toEqual([writes.length, 2 * writes.length]);
    fence.isOpen = false;
    for (const [, write] of writes) expect(await errorOf(write(client))).toBeInstanceOf(Refused);
    expect(stub.api.requests).toHaveLength(writes.length);
  });
});

describe("withReader", () => {
  const kind = { group: "", version: "v1", kind: "ConfigMap" };
  const reader: Reader = {
    get: async () => ({ metadata: { name: "cached" } }) as never,
    list: async () => kubeList([], { resourceVersion: "7" }),
  };
  const refuse = (): never => {
    throw new Error("not expected");
  };
  const writer: Writer = {
    create: async () => ({ metadata: { name: "written" } }) as never,
    update: refuse,
    patch: refuse,
    apply: refuse,
    delete: refuse,
    deleteCollection: refuse,
    status: { update: refuse, patch: refuse, apply: refuse },
    subResource: refuse,
  };

  it("reads with one and writes with the other", async () => {
    const client = withReader(writer, reader);
    expect((await client.get(kind, "ns/a")).metadata.name).toBe("cached");
    expect((await client.create(kind, { metadata: { name: "a" } })).metadata.name).toBe("written");
    expect("caughtUp" in client).toBe(false);
  });

  it("can wait for a cache to catch up", async () => {
    const asked: unknown[] = [];
    const cache: CachedReader = {
      ...reader,
      caughtUp: async (...call) => {
        asked.push(call);
        return true;
      },
    };
    expect(await withReader(writer, cache).caughtUp(kind, "8", { timeoutMs: 5 })).toBe(true);
    expect(asked).toEqual([[kind, "8", { timeoutMs: 5 }]]);
  });
});

describe("aroundCalls", () => {
  it("passes reads and writes of everything to the interceptors, and makes them unchanged", async () => {
    await using stub = await stubbed();
    const seen: object[] = [];
    const note = (call: ReadCall | WriteCall): void => {
      const { kind: _kind, options: _options, ...about } = call;
      seen.push(about);
    };
    const reads = async (c: ReadWriter) => [
      await c.get(ConfigMap, key),
      (await c.list(ConfigMap, { namespace: "web", labels: { a: "b" } })).length,
      await c.subResource("scale").get(Deployment, { metadata: { name: "a", namespace: "web" } }),
      await c.subResource("log").getText(Pod, key, { query: { container: "web" } }),
    ];
    const around = aroundCalls(withReader(stub.client, stub.client), {
      read: (call, next) => {
        note(call);
        return next();
      },
      write: (call, next) => {
        note(call);
        return next(call);
      },
    });
    expect(await reads(around)).toEqual(await reads(stub.client));
    for (const [, write] of writes) await write(around);
    expect(seen).toEqual([
      { verb: "get", key },
      { verb: "list" },
      { verb: "get", subResource: "scale", key: { name: "a", namespace: "web" } },
      { verb: "getText", subResource: "log", key: { name: "a", namespace: "web" } },
      ...writes.map(([, , expected]) => {
        const { options: _options, ...about } = expected as { readonly options?: object };
        return about;
      }),
    ]);
  });

  it("lets an interceptor answer instead", async () => {
    await using stub = await stubbed();
    const answer = (): never => "answered" as never;
    const client = aroundCalls(stub.client, { read: async () => answer(), write: async () => answer() });
    expect([await client.get(ConfigMap, key), await client.delete(ConfigMap, key)]).toEqual(["answered", "answered"]);
    expect(stub.api.requests).toEqual([]);
  });

  it("calls its interceptor before those of the given client", async () => {
    await using stub = await stubbed();
    const order: string[] = [];
    const noting =
      (name: string): WriteInterceptor =>
      (call, next) => {
        order.push(name);
        return next(call);
      };
    const inner = aroundWrites(withReader(stub.client, stub.client), noting("inner"));
    await aroundCalls(inner, { read: (_, next) => next(), write: noting("outer") }).create(ConfigMap, configMap);
    expect(order).toEqual(["outer", "inner"]);
  });
});
