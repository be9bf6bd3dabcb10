import { isMetadataOnly, type Kind, type KubeObject, metadataOnly, unstructured } from "@kubewright/apimachinery";
import {
  aroundWrites,
  type Client,
  initialEventsEndAnnotation,
  type Reader,
  type WatchEvent,
  type WriteCall,
  withReader,
} from "@kubewright/client";
import { ConfigMap, Namespace } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { recordingServer, useServer } from "./server.ts";

const { client, inNewNamespace } = useServer();

/** Performs every form of write on an object of the kind, with the given options. */
async function writeAll(c: Pick<Client, keyof Client>, namespace: string | undefined, options = {}): Promise<void> {
  const metadata = { name: "a", ...(namespace ? { namespace } : {}) };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata } as never;
  const key = { name: "a", ...(namespace ? { namespace } : {}) };
  const scale = c.subResource("frob");
  await c.create(ConfigMap, object, options);
  await c.update(ConfigMap, object, options);
  await c.patch(ConfigMap, key, { data: {} }, options);
  await c.apply(ConfigMap, object, options);
  await c.status.update(ConfigMap, object, options);
  await c.status.patch(ConfigMap, key, {}, options);
  await c.status.apply(ConfigMap, object, options);
  await scale.create(ConfigMap, key, {}, options);
  await scale.update(ConfigMap, key, {}, options);
  await scale.patch(ConfigMap, key, {}, options);
  await scale.patch(ConfigMap, key, {}, { ...options, type: "apply" });
}

describe("a client of one namespace", () => {
  it("CL-031 fills in the namespace", async () => {
    await using stub = await recordingServer();
    const own = stub.client.with({ namespace: "web" });
    await writeAll(own, undefined);
    await own.get(ConfigMap, "a");
    await own.list(ConfigMap);
    await own.delete(ConfigMap, "a");
    await own.deleteCollection(ConfigMap);
    await own.subResource("scale").get(ConfigMap, "a");
    expect(stub.asked).toHaveLength(16);
    for (const { path } of stub.asked) expect(path).toMatch(/^\/api\/v1\/namespaces\/web\/configmaps/);
  });

  it("CL-032 refuses another namespace before it sends a request", async () => {
    await using stub = await recordingServer();
    const own = stub.client.with({ namespace: "web" });
    const object = { metadata: { name: "a", namespace: "other" } };
    for (const call of [
      own.create(ConfigMap, object),
      own.apply(ConfigMap, object),
      own.get(ConfigMap, "other/a"),
      own.list(ConfigMap, { namespace: "other" }),
      own.patch(ConfigMap, "other/a", {}),
      own.delete(ConfigMap, object),
      own.status.patch(ConfigMap, object, {}),
      own.subResource("scale").get(ConfigMap, object),
    ])
      await expect(call).rejects.toThrow('the namespace "other" does not match the namespace "web" of this client');
    expect(stub.asked).toEqual([]);
  });

  it("CL-033 reads and writes cluster-scoped objects as usual", async () => {
    const own = client().with({ namespace: "default" });
    const made = await own.create(Namespace, { metadata: { generateName: "test-" } });
    expect(await own.get(Namespace, made.metadata.name)).toEqual(made);
    await own.patch(Namespace, made, { metadata: { labels: { a: "b" } } });
    expect(await own.list(Namespace, { labels: { a: "b" } })).toHaveLength(1);
  });
});

describe("defaults of a client", () => {
  it("CL-034 name an owner for every form of write, and the call's own takes precedence", async () => {
    await using stub = await recordingServer();
    const owned = stub.client.with({ fieldOwner: "me" });
    await writeAll(owned, "web");
    expect(stub.asked).toHaveLength(11);
    for (const { query } of stub.asked) expect(query.fieldManager).toBe("me");
    stub.asked.length = 0;
    await writeAll(owned, "web", { fieldOwner: "other" });
    for (const { query } of stub.asked) expect(query.fieldManager).toBe("other");
  });

  it("CL-035 set a validation for every form of write, and the call's own takes precedence", async () => {
    await using stub = await recordingServer();
    const strict = stub.client.with({ fieldValidation: "Strict" });
    await writeAll(strict, "web");
    for (const { query } of stub.asked) expect(query.fieldValidation).toBe("Strict");
    stub.asked.length = 0;
    await writeAll(strict, "web", { fieldValidation: "Ignore" });
    for (const { query } of stub.asked) expect(query.fieldValidation).toBe("Ignore");
  });

  it("CL-036 make every write a dry run, whatever the call requests", async () => {
    await using stub = await recordingServer();
    await writeAll(stub.client.with({ dryRun: true }), "web", { dryRun: false });
    for (const { query } of stub.asked) expect(query.dryRun).toBe("All");

    const namespace = await inNewNamespace();
    const dry = client().with({ dryRun: true });
    const made = await client().create(ConfigMap, { metadata: { name: "a", namespace } });
    await dry.create(ConfigMap, { metadata: { name: "b", namespace } });
    await dry.update(ConfigMap, { ...made, data: { k: "v" } });
    await dry.delete(ConfigMap, made, { dryRun: false });
    await dry.deleteCollection(ConfigMap, { namespace });
    expect(await dry.list(ConfigMap, { namespace })).toEqual([made]);
    await expect(dry.create(ConfigMap, { metadata: { name: "No", namespace } })).rejects.toThrow("is invalid");
  });
});

describe("a watch", () => {
  it.each<Kind>([ConfigMap, unstructured({ apiVersion: "v1", kind: "ConfigMap" }), metadataOnly(ConfigMap)])(
    "CL-037 reports added objects in the requested form: %o",
    async (kind) => {
      const namespace = await inNewNamespace();
      const { metadata } = await client().list(kind, { namespace });
      await client().create(ConfigMap, { metadata: { name: "a", namespace }, data: { k: "v" } });
      let first: WatchEvent<KubeObject> | undefined;
      for await (const event of client().watch(kind, { namespace, resourceVersion: metadata.resourceVersion })) {
        first = event;
        break;
      }
      expect(first).toMatchObject({ type: "ADDED", object: { kind: "ConfigMap", metadata: { name: "a" } } });
      expect(first?.object.metadata.annotations?.[initialEventsEndAnnotation]).toBeUndefined();
      expect("data" in (first?.object ?? {})).toBe(!isMetadataOnly(kind));
    },
  );
});

describe("interception", () => {
  const named = { metadata: { name: "a", namespace: "web" } };

  it("CL-038 gets each write, and passes it on, changes it or answers itself", async () => {
    await using stub = await recordingServer();
    const calls: string[] = [];
    const around = aroundWrites(stub.client, (call, next) => {
      calls.push(call.verb);
      return next(call);
    });
    await around.create(ConfigMap, named);
    await around.update(ConfigMap, named as never);
    await around.patch(ConfigMap, named, {});
    await around.apply(ConfigMap, named, { fieldOwner: "me" });
    await around.delete(ConfigMap, named);
    await around.deleteCollection(ConfigMap, { namespace: "web" });
    expect(calls).toEqual(["create", "update", "patch", "apply", "delete", "deleteCollection"]);
    expect(stub.asked).toHaveLength(6);

    const answering = aroundWrites(stub.client, async (call, next) => {
      if (call.verb === "delete") throw new Error("not today");
      return next({ ...call, kind: { ...call.kind, plural: "others" } } as WriteCall);
    });
    await expect(answering.delete(ConfigMap, named)).rejects.toThrow("not today");
    await answering.create(ConfigMap, named);
    expect(stub.last()?.path).toBe("/api/v1/namespaces/web/others");
    expect(stub.asked).toHaveLength(7);
  });

  it("CL-038 can replace the reader", async () => {
    await using stub = await recordingServer();
    const calls: string[] = [];
    const live: Reader = stub.client;
    const reading = withReader(stub.client, {
      get: (kind, key, options) => {
        calls.push("get");
        return live.get(kind, key, options);
      },
      list: (kind, options) => {
        calls.push("list");
        return live.list(kind, options);
      },
    });
    await reading.get(ConfigMap, "web/a");
    await reading.list(ConfigMap);
    expect([calls, stub.asked.length]).toEqual([["get", "list"], 2]);
  });

  it("CL-039 gets each write of a subresource, with its name", async () => {
    await using stub = await recordingServer();
    const calls: string[] = [];
    const around = aroundWrites(stub.client, (call, next) => {
      calls.push(`${call.verb} ${call.subResource}`);
      return next(call);
    });
    await around.status.update(ConfigMap, named as never);
    await around.status.patch(ConfigMap, named, {});
    await around.status.apply(ConfigMap, named);
    const scale = around.subResource("frob");
    await scale.create(ConfigMap, named, {});
    await scale.update(ConfigMap, named, {});
    await scale.patch(ConfigMap, named, {});
    await scale.get(ConfigMap, named);
    expect(calls).toEqual([
      ...["update status", "patch status", "apply status"],
      ...["create frob", "update frob", "patch frob"],
    ]);
    expect(stub.asked).toHaveLength(7);
  });
});
