import {
  type Condition,
  defineKind,
  exactInteger,
  mutableCopy,
  type NewObject,
  type ObjectOf,
  type Stored,
  stringifyJson,
  typedSchema,
  type Unstructured,
  unstructured,
} from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { ConfigMap, Deployment, Namespace, Pod, ServiceAccount } from "../kinds/index.ts";
import { configMap, stubbed } from "../testing/stubbed-client.ts";
import type { Client } from "./client.ts";
import { createOrPatch, createOrUpdate } from "./create-or-update.ts";
import { mergeFrom } from "./merge-from.ts";

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

  it("omits managedFields from updates, since a cached object has only a part of them", async () => {
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
      "update ConfigMap: the object is of type v1, Kind=Secret, not v1, Kind=ConfigMap",
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
      "optimisticLock requires a target with a resourceVersion",
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

  it("writes status through its subresource, with patches of the status only", async () => {
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

  describe("integers beyond 2^53 that were read", () => {
    const big = unstructured({ apiVersion: "x.io/v1", kind: "Big", plural: "bigs", scope: "Cluster" });
    const [a, b] = ["9007199254740993", "-9223372036854775807"];
    const metadata = `"metadata":{"name":"a","resourceVersion":"7","generation":${a}}`;
    const rest = `"spec":{"id":${a},"list":[{"id":${b}},1],"ids":[${a},${b}]},"status":{"seen":${b}},"root":${a}`;
    const body = `{"apiVersion":"x.io/v1","kind":"Big",${metadata},${rest}}`;
    type Draft = Unstructured & { spec: { id: number; list: object[]; ids: number[] }; status: object; root: number };
    const started = async () => {
      const stub = await stubbed(() => ({ body }));
      const read = (await stub.client.get(big, "a")) as Stored<Draft>;
      return { stub, read, draft: mutableCopy(read) as typeof read, sent: () => stub.last()?.body ?? "" };
    };

    it("are numbers", async () => {
      const { stub, read } = await started();
      await using _ = stub;
      expect(read.spec).toEqual({
        id: 9007199254740992,
        list: [{ id: Number(b) }, 1],
        ids: [9007199254740992, Number(b)],
      });
      expect(JSON.stringify(read)).toContain('"id":9007199254740992');
      expect(exactInteger(read.spec, "id")).toBe(9007199254740993n);
    });

    it("are sent with all their digits by every write of the object, or of its mutableCopy", async () => {
      const { stub, read, draft, sent } = await started();
      await using _ = stub;
      for (const object of [read, draft, mutableCopy(mutableCopy(read)) as typeof read]) {
        for (const call of [
          () => stub.client.create(big, object),
          () => stub.client.update(big, object),
          () => stub.client.apply(big, object, { fieldOwner: "me" }),
          () => stub.client.status.update(big, object),
          () => stub.client.status.apply(big, object, { fieldOwner: "me" }),
          () => stub.client.subResource("other").update(big, "a", object),
          () => stub.client.patch(big, object, object as object, { optimisticLock: true }),
          () => stub.client.with({ dryRun: true }).update(big, object),
        ]) {
          await call();
          expect(sent()).toContain(rest);
          expect(sent()).toContain(`"generation":${a}`);
        }
        await stub.client.status.patch(big, "a", object.status);
        expect(sent()).toBe(`{"status":{"seen":${b}}}`);
      }
    });

    it("are also kept for the objects of a list, which contain no type of their own", async () => {
      await using stub = await stubbed(() => ({ body: `{"items":[{${metadata},${rest}}]}` }));
      const [listed] = await stub.client.list(big);
      if (!listed) throw new Error("nothing listed");
      await stub.client.update(big, listed);
      expect(stub.last()?.body).toContain(rest);
    });

    it("are sent with their new value if changed, and unchanged ones as they were", async () => {
      const { stub, draft, sent } = await started();
      await using _ = stub;
      draft.spec.id = 5;
      draft.spec.ids.unshift(7);
      draft.spec.list.reverse();
      draft.root = 9007199254740994;
      await stub.client.update(big, draft);
      expect(sent()).toContain(`"spec":{"id":5,"list":[1,{"id":${b}}],"ids":[7,${a},${b}]}`);
      expect(sent()).toContain('"root":9007199254740994');
    });

    it("are sent rounded by clones and spread objects, which contain only numbers", async () => {
      const { stub, read, sent } = await started();
      await using _ = stub;
      await stub.client.update(big, { ...read, spec: { ...read.spec, list: structuredClone(read.spec.list) } });
      expect(sent()).toContain(
        '"spec":{"id":9007199254740992,"list":[{"id":-9223372036854776000},1],"ids":[9007199254740993',
      );
    });

    it("are missing from merge patches if unchanged, and exact in the lists of one", async () => {
      const { stub, read, draft, sent } = await started();
      await using _ = stub;
      expect(mergeFrom(read, draft)).toEqual({});
      expect(mergeFrom(read, { ...draft, spec: { ...draft.spec } })).toEqual({});
      const { root: _root, ...less } = read;
      const more = mergeFrom(less as typeof read, draft, { optimisticLock: true });
      expect(stringifyJson(more)).toBe(`{"root":${a},"metadata":{"resourceVersion":"7"}}`);
      draft.spec.ids.push(3);
      draft.spec.list.push({});
      Object.assign(draft.spec, { another: mutableCopy(read).spec });
      await stub.client.patch(big, read, mergeFrom(read, draft, { optimisticLock: true }));
      expect(sent()).toBe(
        `{"spec":{"list":[{"id":${b}},1,{}],"ids":[${a},${b},3],"another":{"id":${a},"list":[{"id":${b}},1],"ids":[${a},${b}]}},"metadata":{"resourceVersion":"7"}}`,
      );
    });

    it("are written exactly by createOrPatch, and not at all if nothing changed", async () => {
      const { stub, sent } = await started();
      await using _ = stub;
      await createOrPatch(stub.client, big, "a", () => {});
      expect(stub.last()?.method).toBe("GET");
      await createOrPatch(stub.client, big, "a", (draft) => void (draft as Draft).spec.ids.push(3));
      expect(sent()).toBe(`{"spec":{"ids":[${a},${b},3]}}`);
      await createOrUpdate(stub.client, big, "a", (draft) => void (draft as Draft).spec.ids.push(3));
      expect(sent()).toContain(`"ids":[${a},${b},3]},"status":{"seen":${b}},"root":${a}`);
    });
  });

  it("hands warnings to the handler", async () => {
    const seen: string[] = [];
    await using stub = await stubbed(() => ({ body: configMap, headers: { warning: '299 - "old"' } }), {
      onWarning: (text) => seen.push(text),
    });

    await stub.client.get(ConfigMap, "web/a");
    expect(seen).toEqual(["old"]);
  });

  it("derives clients with other defaults over the same connection", async () => {
    await using stub = await stubbed(undefined, { fieldOwner: "me" });
    const dry = stub.client.with({ dryRun: true });

    await dry.status.patch(Deployment, "web/d", {}, { dryRun: false, fieldOwner: "you" });
    expect(stub.last()?.query).toEqual({ dryRun: "All", fieldManager: "you" });
    await dry.delete(ConfigMap, "web/a");
    expect(JSON.parse(stub.last()?.body ?? "")).toMatchObject({ dryRun: ["All"] });
    await stub.client.patch(ConfigMap, "web/a", {});
    expect(stub.last()?.query).toEqual({ fieldManager: "me" });
  });

  it("keeps defaults that are passed as undefined", async () => {
    await using stub = await stubbed(undefined, { fieldOwner: "me", fieldValidation: "Strict", namespace: "web" });
    const same = stub.client.with({ fieldOwner: undefined, fieldValidation: undefined, namespace: undefined });

    await same.patch(ConfigMap, "a", {}, { fieldOwner: undefined, fieldValidation: undefined, dryRun: undefined });
    expect(stub.last()).toMatchObject({
      path: "/api/v1/namespaces/web/configmaps/a",
      query: { fieldManager: "me", fieldValidation: "Strict" },
    });
    await same.with({ dryRun: true }).with({ dryRun: undefined }).patch(ConfigMap, "a", {}, { type: undefined });
    expect(stub.last()).toMatchObject({
      query: { dryRun: "All" },
      headers: { "content-type": "application/merge-patch+json" },
    });
    const named = { apiVersion: undefined, kind: undefined, metadata: { name: undefined, namespace: undefined } };
    await same.subResource("eviction").create(Pod, "web/p", named);
    expect(JSON.parse(stub.last()?.body ?? "")).toEqual({
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "p", namespace: "web" },
    });
  });

  it("stays in the namespace it was given", async () => {
    await using stub = await stubbed();
    const inWeb = stub.client.with({ namespace: "web" });

    await inWeb.get(ConfigMap, "a");
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web/configmaps/a");
    await inWeb.create(ConfigMap, { metadata: { name: "a" } });
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web/configmaps");
    await inWeb.subResource("scale").get(Deployment, "d");
    expect(stub.last()?.path).toBe("/apis/apps/v1/namespaces/web/deployments/d/scale");
    await inWeb.get(Namespace, "other");
    expect(stub.last()?.url).toBe("/api/v1/namespaces/other");
    await expect(inWeb.delete(ConfigMap, "other/a")).rejects.toThrow(
      'delete ConfigMap other/a: the namespace "other" does not match the namespace "web" of this client',
    );
  });
});

interface Progress {
  done: number;
  note?: string;
}

interface SiteStatus {
  conditions?: Condition[];
  progress?: Progress;
  byZone?: Record<string, Progress>;
}

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: typedSchema<{ image: string }>({ type: "object" }),
  status: typedSchema<SiteStatus>({ type: "object" }),
});
type Site = ObjectOf<typeof Site>;

/** Never called: only type-checked. */
async function programs(client: Client, site: Site, progress: Progress, status: SiteStatus): Promise<void> {
  const conditions: Condition[] = [];
  const readonlyConditions: readonly Condition[] = conditions;
  await client.status.patch(Site, site, { conditions });
  await client.status.patch(Site, site, { conditions: readonlyConditions });
  await client.status.patch(Site, site, { conditions, progress: { ...progress, note: null } });
  await client.status.patch(Site, site, { progress, byZone: { a: progress, b: null } });
  await client.status.patch(Site, site, status);
  await client.patch(Site, site, { status: { progress } });
  await client.patch(Site, site, { metadata: { labels: { a: null, b: "c" } }, spec: site.spec });
  // @ts-expect-error the status has no such field
  await client.status.patch(Site, site, { progres: progress });
  // @ts-expect-error nor a field of that type
  await client.status.patch(Site, site, { progress: 1 });

  const strategic = { type: "strategic" } as const;
  const containers = [
    { name: "web", image: "nginx:2" },
    { name: "old", $patch: "delete" },
  ];
  const order = { "$setElementOrder/containers": [{ name: "web" }] };
  await client.patch(Deployment, "a/b", { spec: { template: { spec: { containers, ...order } } } }, strategic);
  await client.patch(Pod, "a/b", { metadata: { "$deleteFromPrimitiveList/finalizers": ["x"] } }, strategic);
  await client.patch(Deployment, "a/b", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }, strategic);
  await client.patch(ConfigMap, "a/b", { data: { $patch: "replace", a: "b" } }, strategic);
}

/** Fields of other objects may be absent, even if `exactOptionalPropertyTypes` distinguishes absent from undefined. */
async function namesFromObjects(client: Client, site: Site): Promise<void> {
  const { namespace, name, uid, resourceVersion, labels, annotations } = site.metadata;
  await client.create(ConfigMap, { metadata: { namespace, name, labels, annotations } });
  const made: NewObject<Site> = { metadata: { namespace, name }, spec: { image: "nginx" } };
  await client.create(Site, made);
  await client.list(ConfigMap, { namespace, resourceVersion, limit: undefined });
  await client.get(ConfigMap, { namespace, name });
  await client.delete(ConfigMap, { metadata: { namespace, name } }, { preconditions: { uid, resourceVersion } });
  await client.apply(ConfigMap, { metadata: { namespace, name, labels }, data: undefined });
  client.with({ namespace });
  await client.subResource("eviction").create(Pod, { namespace, name }, { metadata: { name, namespace } });
}

it("accepts patches with interfaces, and with names of other objects", () => {
  expect([programs, namesFromObjects]).toHaveLength(2);
});
