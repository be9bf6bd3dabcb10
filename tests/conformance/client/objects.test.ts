import {
  ignoreAlreadyExists,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  metadataOnly,
  unstructured,
} from "@kubewright/apimachinery";
import { ConfigMap, Namespace, Node } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { recordingServer, useServer } from "./server.ts";

const { client, inNewNamespace } = useServer();
const names = (objects: readonly { metadata: { name: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name);

describe("typed, untyped and metadata objects", () => {
  it.each([ConfigMap, unstructured({ apiVersion: "v1", kind: "ConfigMap" })])(
    "CL-005 of a namespace are created, read, updated, listed and deleted, and answered as stored",
    async (kind) => {
      const namespace = await inNewNamespace();
      const made = await client().create(kind, { metadata: { name: "a", namespace }, data: { k: "1" } });
      expect(made.metadata).toMatchObject({ uid: expect.any(String), resourceVersion: expect.any(String) });
      const changed = await client().update(kind, { ...made, data: { k: "2" } });
      expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
      expect(await client().get(kind, `${namespace}/a`)).toEqual(changed);
      expect(await client().list(kind, { namespace })).toEqual([changed]);
      await client().delete(kind, changed);
      await expect(client().get(kind, `${namespace}/a`)).rejects.toSatisfy(isNotFound);
    },
  );

  it.each([Node, unstructured({ apiVersion: "v1", kind: "Node" })])(
    "CL-005 of the cluster are created, read, updated, listed and deleted",
    async (kind) => {
      const made = await client().create(kind, { metadata: { name: "n1" } });
      const changed = await client().update(kind, { ...made, metadata: { ...made.metadata, labels: { a: "b" } } });
      expect(await client().get(kind, "n1")).toEqual(changed);
      expect(await client().list(kind)).toEqual([changed]);
      await client().delete(kind, "n1");
      expect(await client().list(kind)).toEqual([]);
    },
  );

  it("CL-007 are refused with distinguishable errors", async () => {
    const namespace = await inNewNamespace();
    const made = await client().create(ConfigMap, { metadata: { name: "a", namespace } });
    await expect(client().create(ConfigMap, { metadata: { name: "a", namespace } })).rejects.toSatisfy(isAlreadyExists);
    await expect(client().create(ConfigMap, { metadata: { name: "A b", namespace } })).rejects.toSatisfy(isInvalid);
    for (const missing of [
      () => client().get(ConfigMap, `${namespace}/b`),
      () => client().delete(ConfigMap, `${namespace}/b`),
      () => client().patch(ConfigMap, `${namespace}/b`, { data: {} }),
      () => client().update(ConfigMap, { ...made, metadata: { name: "b", namespace, resourceVersion: "1" } as never }),
    ])
      await expect(missing()).rejects.toSatisfy(isNotFound);
    await client().update(ConfigMap, { ...made, data: { k: "v" } });
    await expect(client().update(ConfigMap, made)).rejects.toSatisfy(isConflict);
  });

  it("CL-008 CL-022 can be read, patched and deleted, but not written whole, if only their metadata is requested", async () => {
    const namespace = await inNewNamespace();
    const kind = metadataOnly(ConfigMap);
    await client().create(ConfigMap, { metadata: { name: "a", namespace }, data: { k: "v" } });
    const read = await client().get(kind, `${namespace}/a`);
    expect(read).not.toHaveProperty("data");
    await client().patch(kind, read, { metadata: { annotations: { dry: "run" } } }, { dryRun: true });
    expect((await client().get(kind, `${namespace}/a`)).metadata.annotations).toBeUndefined();
    await client().patch(kind, read, { metadata: { annotations: { foo: "bar" } } }, { fieldOwner: "someone" });
    const patched = await client().get(ConfigMap, `${namespace}/a`);
    expect(patched).toMatchObject({ metadata: { annotations: { foo: "bar" } }, data: { k: "v" } });
    expect(patched.metadata.managedFields?.map(({ manager }) => manager)).toContain("someone");
    for (const write of [
      () => client().create(kind, { metadata: { name: "b", namespace } }),
      () => client().update(kind, read),
      () => client().status.update(kind, read),
    ])
      await expect(write()).rejects.toThrow("using only metadata, did you mean to patch?");
    await client().delete(kind, read);
    expect(await client().list(kind, { namespace })).toEqual([]);
  });

  it("CL-009 can be deleted together, by namespace, labels and fields", async () => {
    const namespace = await inNewNamespace();
    for (const name of ["a", "b", "c"])
      await client().create(ConfigMap, { metadata: { name, namespace, labels: { odd: String(name !== "b") } } });
    await client().deleteCollection(ConfigMap, { namespace, labels: { odd: "false" } });
    expect(names(await client().list(ConfigMap, { namespace }))).toEqual(["a", "c"]);
    await client().deleteCollection(ConfigMap, { namespace, fields: { "metadata.name": "a" } });
    expect(names(await client().list(ConfigMap, { namespace }))).toEqual(["c"]);
    await client().deleteCollection(ConfigMap, { namespace });
    expect(await client().list(ConfigMap, { namespace })).toEqual([]);
  });

  it("CL-010 may be missing or exist if the caller ignores that, but other errors are thrown", async () => {
    const namespace = await inNewNamespace();
    const missing = () => client().get(ConfigMap, `${namespace}/a`);
    expect(await missing().catch(ignoreNotFound)).toBeUndefined();
    await expect(missing().catch(ignoreAlreadyExists)).rejects.toSatisfy(isNotFound);
    await client().create(ConfigMap, { metadata: { name: "a", namespace } });
    const second = () => client().create(ConfigMap, { metadata: { name: "a", namespace } });
    expect(await second().catch(ignoreAlreadyExists)).toBeUndefined();
    await expect(second().catch(ignoreNotFound)).rejects.toSatisfy(isAlreadyExists);
    const other = new Error("other");
    expect(() => ignoreNotFound(other)).toThrow(other);
  });
});

describe("lists and options", () => {
  it("CL-011 select by namespace, labels and fields together", async () => {
    const [one, two] = [await inNewNamespace(), await inNewNamespace()];
    for (const [name, namespace, tier] of [
      ["a", one, "web"],
      ["b", one, "db"],
      ["c", two, "web"],
    ] as const)
      await client().create(ConfigMap, { metadata: { name, namespace, labels: { run: one, tier } } });
    const listed = (options: { namespace?: string; labels?: string | Record<string, string>; fields?: string }) =>
      client().list(ConfigMap, options);
    const list = async (options: Parameters<typeof listed>[0]) => names(await listed(options)).sort();
    expect(await list({ labels: { run: one } })).toEqual(["a", "b", "c"]);
    expect(await list({ labels: { run: one, tier: "web" } })).toHaveLength(2);
    expect(await list({ namespace: one, labels: `run=${one},tier in (web)` })).toEqual(["a"]);
    expect(await list({ namespace: two, fields: "metadata.name=c" })).toEqual(["c"]);
    expect(await list({ namespace: two, labels: { tier: "db" } })).toEqual([]);
  });

  it("CL-012 return pages with limit and continue", async () => {
    const namespace = await inNewNamespace();
    for (const name of ["a", "b", "c", "d"]) await client().create(ConfigMap, { metadata: { name, namespace } });
    const first = await client().list(ConfigMap, { namespace, limit: 1 });
    expect([names(first), Boolean(first.metadata.continue)]).toEqual([["a"], true]);
    const second = await client().list(ConfigMap, { namespace, limit: 1, continue: first.metadata.continue });
    expect([names(second), Boolean(second.metadata.continue)]).toEqual([["b"], true]);
    const rest = await client().list(ConfigMap, { namespace, continue: second.metadata.continue });
    expect([names(rest), rest.metadata.continue || undefined]).toEqual([["c", "d"], undefined]);
  });

  it("CL-013 send label selectors unchanged", async () => {
    await using stub = await recordingServer();
    for (const [labels, sent] of [
      [{ k: "v", k2: "v2" }, "k=v,k2=v2"],
      ["k=v,labelApe", "k=v,labelApe"],
    ] as const) {
      await stub.client.list(ConfigMap, { labels });
      expect(stub.last()?.query).toEqual({ labelSelector: sent });
    }
  });

  it("CL-014 can be set one by one, and the later one takes precedence if options objects are spread", async () => {
    await using stub = await recordingServer();
    const base = { namespace: "web", limit: 3, labels: { a: "b" } };
    await stub.client.list(ConfigMap, base);
    expect(stub.last()).toMatchObject({
      path: "/api/v1/namespaces/web/configmaps",
      query: { limit: "3", labelSelector: "a=b" },
    });
    await stub.client.list(ConfigMap, { ...base, limit: 5, fields: { "metadata.name": "x" } });
    expect(stub.last()?.query).toEqual({ limit: "5", labelSelector: "a=b", fieldSelector: "metadata.name=x" });
  });

  it("CL-015 drop limit and continue for a watch", async () => {
    await using stub = await recordingServer();
    const options = { namespace: "web", limit: 3, continue: "token", labels: { a: "b" }, resourceVersion: "7" };
    const stop = AbortSignal.timeout(5_000);
    for await (const _ of stub.client.watchRaw(ConfigMap, { ...options, signal: stop })) break;
    expect(stub.last()?.query).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      labelSelector: "a=b",
      resourceVersion: "7",
    });
  });

  it("CL-016 of a collection's deletion specify what to select and how to delete", async () => {
    await using stub = await recordingServer();
    await stub.client.deleteCollection(ConfigMap, {
      namespace: "web",
      labels: { a: "b" },
      limit: 3,
      gracePeriodSeconds: 7,
      propagationPolicy: "Orphan",
    });
    expect(stub.last()).toEqual({
      method: "DELETE",
      path: "/api/v1/namespaces/web/configmaps",
      query: { labelSelector: "a=b", limit: "3" },
      body: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 7, propagationPolicy: "Orphan" },
    });
  });

  it("CL-017 send dry run and owner with every write, force with applies", async () => {
    await using stub = await recordingServer();
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "web" } } as const;
    const options = { dryRun: true, fieldOwner: "me" };
    const { client: c } = stub;
    await c.create(ConfigMap, object, options);
    await c.update(ConfigMap, object as never, options);
    await c.patch(ConfigMap, object, { data: {} }, options);
    await c.status.update(ConfigMap, object as never, options);
    await c.status.patch(ConfigMap, object, {}, options);
    await c.subResource("scale").update(ConfigMap, object, { spec: { replicas: 1 } }, options);
    for (const { query } of stub.asked) expect(query).toEqual({ dryRun: "All", fieldManager: "me" });
    await c.apply(ConfigMap, object, { ...options, force: true });
    await c.patch(ConfigMap, object, object as never, { ...options, type: "apply", force: true });
    for (const { query } of stub.asked.slice(-2))
      expect(query).toEqual({ dryRun: "All", fieldManager: "me", force: "true" });
    expect(stub.asked).toHaveLength(8);
  });

  it("CL-018 of a deletion are passed on", async () => {
    await using stub = await recordingServer();
    await stub.client.delete(ConfigMap, "web/a", {
      gracePeriodSeconds: 1,
      preconditions: { uid: "u", resourceVersion: "7" },
      propagationPolicy: "Foreground",
      dryRun: true,
    });
    expect(stub.last()?.body).toEqual({
      kind: "DeleteOptions",
      apiVersion: "v1",
      gracePeriodSeconds: 1,
      preconditions: { uid: "u", resourceVersion: "7" },
      propagationPolicy: "Foreground",
      dryRun: ["All"],
    });
    const namespace = await client().create(Namespace, { metadata: { generateName: "test-" } });
    const made = await client().create(ConfigMap, { metadata: { name: "a", namespace: namespace.metadata.name } });
    const other = client().delete(ConfigMap, made, { preconditions: { uid: "other" } });
    await expect(other).rejects.toSatisfy(isConflict);
  });
});
