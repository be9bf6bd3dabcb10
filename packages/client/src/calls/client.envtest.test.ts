import {
  defineKind,
  exactInteger,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNoMatch,
  isNotFound,
  mutableCopy,
  type ObjectOf,
  unstructured,
} from "@kubewright/apimachinery";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigMap, Deployment, Namespace, Secret } from "../kinds/index.ts";
import { hasWatchLists } from "../testing/watch-lists.ts";
import { Client } from "./client.ts";
import { createOrUpdate } from "./create-or-update.ts";
import { mergeFrom } from "./merge-from.ts";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  shortNames: ["st"],
  spec: {
    type: "object",
    required: ["image"],
    properties: { image: { type: "string" }, id: { type: "integer", format: "int64" } },
  },
  status: { type: "object", properties: { ready: { type: "integer" } } },
});
type Site = ObjectOf<typeof Site>;

// Names follow controller-runtime's pkg/client tests where a behaviour is carried over.
describe("Client on an API server", () => {
  let env: Environment;
  let client: Client;
  const warnings: string[] = [];

  beforeAll(async () => {
    env = await Environment.start({ crds: [Site] });
    client = new Client({ connection: env.connection(), fieldOwner: "test", onWarning: (text) => warnings.push(text) });
  });
  afterAll(async () => {
    await client?.close();
    await env?.stop();
  });

  const inNewNamespace = async (): Promise<string> =>
    (await client.create(Namespace, { metadata: { generateName: "test-" } })).metadata.name;

  it("creates, gets, updates, lists and deletes typed and unstructured objects alike", async () => {
    const namespace = await inNewNamespace();
    for (const kind of [ConfigMap, unstructured({ apiVersion: "v1", kind: "ConfigMap" })]) {
      const made = await client.create(kind, { metadata: { name: "a", namespace }, data: { k: "1" } });
      expect(made).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { uid: expect.any(String) } });
      const changed = await client.update(kind, { ...made, data: { k: "2" } });
      expect(await client.get(kind, `${namespace}/a`)).toEqual(changed);
      expect(await client.list(kind, { namespace })).toEqual([changed]);
      await client.delete(kind, changed);
      expect(await client.list(kind, { namespace })).toEqual([]);
    }
  });

  it("throws recognisable errors", async () => {
    const namespace = await inNewNamespace();
    const key = { namespace, name: "a" };
    const made = await client.create(ConfigMap, { metadata: key });

    await expect(client.get(ConfigMap, `${namespace}/none`)).rejects.toSatisfy(isNotFound);
    await expect(client.create(ConfigMap, { metadata: key })).rejects.toSatisfy(isAlreadyExists);
    await client.update(ConfigMap, { ...made, data: { k: "v" } });
    await expect(client.update(ConfigMap, made)).rejects.toSatisfy(isConflict);
    await expect(client.create(ConfigMap, { metadata: { namespace, name: "Not a name" } })).rejects.toSatisfy(
      isInvalid,
    );
    await expect(client.create(Site, { metadata: { namespace, name: "s" }, spec: {} as Site["spec"] })).rejects.toThrow(
      'Site.shop.example.com "s" is invalid: spec.image: Required value',
    );
    await expect(client.list(unstructured({ apiVersion: "no.such/v1", kind: "Thing" }))).rejects.toSatisfy(isNoMatch);
  });

  it("filters by labels, fields and namespace together", async () => {
    const namespace = await inNewNamespace();
    for (const [name, app] of [
      ["a", "shop"],
      ["b", "shop"],
      ["c", "bank"],
    ] as const)
      await client.create(ConfigMap, { metadata: { name, namespace, labels: { app } } });
    const names = async (options: Parameters<typeof client.list>[1]): Promise<string[]> =>
      (await client.list(ConfigMap, { namespace, ...options })).map(({ metadata }) => metadata.name);

    expect(await names({ labels: { app: "shop" } })).toEqual(["a", "b"]);
    expect(await names({ labels: "app in (bank, none)" })).toEqual(["c"]);
    expect(await names({ labels: { app: "shop" }, fields: { "metadata.name": "b" } })).toEqual(["b"]);
    expect(await names({ labels: { app: "none" } })).toEqual([]);
  });

  it("filter results using limit and continue options", async () => {
    const namespace = await inNewNamespace();
    for (const name of ["a", "b", "c", "d"]) await client.create(ConfigMap, { metadata: { name, namespace } });

    const first = await client.list(ConfigMap, { namespace, limit: 1 });
    expect(first).toMatchObject([{ metadata: { name: "a" } }]);
    expect(first.metadata.remainingItemCount).toBe(3);
    const second = await client.list(ConfigMap, { namespace, limit: 1, continue: first.metadata.continue });
    expect(second).toMatchObject([{ metadata: { name: "b" } }]);
    const rest = await client.list(ConfigMap, { namespace, continue: second.metadata.continue });
    expect(rest).toMatchObject([{ metadata: { name: "c" } }, { metadata: { name: "d" } }]);
    expect(rest.metadata.continue ?? "").toBe("");

    const pages = [];
    for await (const page of client.listPages(ConfigMap, { namespace, limit: 3 })) pages.push(page.length);
    expect(pages).toEqual([3, 1]);
  });

  it("patches in all four ways", async () => {
    const namespace = await inNewNamespace();
    const key = { namespace, name: "d" };
    await client.apply(Deployment, {
      metadata: key,
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "d" } },
        template: { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "one", image: "one" }] } },
      },
    });

    await client.patch(Deployment, key, { spec: { replicas: 2 } });
    await client.patch(Deployment, key, [{ op: "add", path: "/metadata/labels", value: { tier: "web" } }], {
      type: "json",
    });
    const merged = await client.patch(
      Deployment,
      key,
      { spec: { template: { spec: { containers: [{ name: "two", image: "two" }] } } } },
      { type: "strategic" },
    );
    expect(merged.metadata.labels).toEqual({ tier: "web" });
    expect(merged.spec.replicas).toBe(2);
    expect(merged.spec.template.spec?.containers.map(({ name }) => name).sort()).toEqual(["one", "two"]);

    const refused = client.apply(Deployment, { metadata: key, spec: { replicas: 3 } }, { fieldOwner: "other" });
    await expect(refused).rejects.toThrow(/Apply failed with 1 conflict/);
    expect(
      (await client.apply(Deployment, { metadata: key, spec: { replicas: 3 } }, { fieldOwner: "other", force: true }))
        .spec.replicas,
    ).toBe(3);
  });

  it("locks a patch to the version that was read", async () => {
    const namespace = await inNewNamespace();
    const made = await client.create(ConfigMap, { metadata: { name: "a", namespace } });
    await client.patch(ConfigMap, made, { data: { k: "1" } }, { optimisticLock: true });

    await expect(client.patch(ConfigMap, made, { data: { k: "2" } }, { optimisticLock: true })).rejects.toSatisfy(
      isConflict,
    );
  });

  it("should update status and not spec, through the status subresource", async () => {
    const namespace = await inNewNamespace();
    const made = await client.create(Site, { metadata: { name: "s", namespace }, spec: { image: "a" } });

    const patched = await client.status.patch(Site, made, { ready: 1 });
    expect(patched.status).toEqual({ ready: 1 });
    const updated = await client.status.update(Site, { ...patched, spec: { image: "b" }, status: { ready: 2 } });
    expect(updated).toMatchObject({ spec: { image: "a" }, status: { ready: 2 } });
    expect(await client.status.get(Site, `${namespace}/s`)).toEqual(updated);
  });

  it("reads and writes the scale of a Deployment", async () => {
    const namespace = await inNewNamespace();
    const key = { namespace, name: "d" };
    const template = { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "c", image: "c" }] } };
    await client.create(Deployment, {
      metadata: key,
      spec: { replicas: 1, selector: { matchLabels: { app: "d" } }, template },
    });

    const scale = await client.subResource("scale").get(Deployment, key);
    expect(scale.spec.replicas).toBe(1);
    await client.subResource("scale").update(Deployment, key, { ...scale, spec: { replicas: 4 } });
    expect((await client.get(Deployment, key)).spec.replicas).toBe(4);
  });

  it("keeps nothing of a dry run", async () => {
    const namespace = await inNewNamespace();
    const dry = client.with({ dryRun: true });

    await dry.create(ConfigMap, { metadata: { name: "a", namespace } });
    await expect(client.get(ConfigMap, `${namespace}/a`)).rejects.toSatisfy(isNotFound);
    await expect(dry.create(ConfigMap, { metadata: { name: "NO", namespace } })).rejects.toSatisfy(isInvalid);
  });

  it("warns of unknown fields, or refuses them", async () => {
    const namespace = await inNewNamespace();
    const odd = { metadata: { name: "s", namespace }, spec: { image: "a", imgae: "b" } };
    warnings.length = 0;
    await client.create(Site, odd);
    expect(warnings).toEqual(['unknown field "spec.imgae"']);

    await expect(
      client.create(Site, { ...odd, metadata: { name: "t", namespace } }, { fieldValidation: "Strict" }),
    ).rejects.toThrow('strict decoding error: unknown field "spec.imgae"');
  });

  it("carries an int64 that no double can hold through an update", async () => {
    const namespace = await inNewNamespace();
    const Raw = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
    const made = await client.create(Raw, {
      metadata: { name: "s", namespace },
      spec: { image: "a", id: 9007199254740993n },
    });

    const updated = await client.update(Raw, { ...made, metadata: { ...made.metadata, labels: { seen: "yes" } } });
    expect(updated.spec).toEqual({ image: "a", id: 9007199254740992 });
    expect(exactInteger(updated.spec as object, "id")).toBe(9007199254740993n);
    const [listed] = await client.list(Raw, { namespace });
    const draft = mutableCopy(listed as typeof updated);
    Object.assign(draft.spec as object, { image: "b" });
    expect(mergeFrom(listed as typeof updated, draft)).toEqual({ spec: { image: "b" } });
    const changed = await client.update(Raw, draft);
    expect(exactInteger(changed.spec as object, "id")).toBe(9007199254740993n);
    const replaced = await client.update(Raw, { ...changed, spec: { ...(changed.spec as object), image: "c" } });
    expect(exactInteger(replaced.spec as object, "id")).toBe(9007199254740992n);
  });

  it("deletes a collection of objects, and only with matching preconditions one", async () => {
    const namespace = await inNewNamespace();
    for (const name of ["a", "b"])
      await client.create(Secret, { metadata: { name, namespace, labels: { app: name } } });

    await expect(
      client.delete(Secret, { namespace, name: "a" }, { preconditions: { uid: "other" } }),
    ).rejects.toSatisfy(isConflict);
    await client.deleteCollection(Secret, { namespace, labels: { app: "b" } });
    expect(await client.list(Secret, { namespace })).toMatchObject([{ metadata: { name: "a" } }]);
  });

  it("creates or updates, and writes nothing when nothing differs", async () => {
    const namespace = await inNewNamespace();
    const ensure = (value: string) =>
      createOrUpdate(client, ConfigMap, { namespace, name: "a" }, (draft) => {
        draft.data = { k: value };
      });

    const made = await ensure("1");
    expect((await ensure("1")).metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    expect((await ensure("2")).data).toEqual({ k: "2" });
  });

  it("reads large objects and lists, which the server compresses", async () => {
    const namespace = await inNewNamespace();
    const text = "a line of the content, and then another one ".repeat(2_000);
    for (const name of ["a", "b"]) await client.create(ConfigMap, { metadata: { name, namespace }, data: { text } });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const raw = await client.connection.request({ path });
    expect(raw.headers).toMatchObject({ "content-encoding": "gzip", vary: expect.stringContaining("Accept-Encoding") });
    expect(raw.body.length).toBeGreaterThan(2 * text.length);

    const listed = await client.list(ConfigMap, { namespace });
    expect(listed.map(({ data }) => data)).toEqual([{ text }, { text }]);
    expect(await client.listRaw(ConfigMap, { namespace })).toEqual(raw.body);
    if (!(await hasWatchLists(client))) return;
    const streamed: string[] = [];
    for await (const event of client.watch(ConfigMap, { namespace, sendInitialEvents: true })) {
      if (event.type === "BOOKMARK") break;
      streamed.push(event.object.data?.text ?? "");
    }
    expect(streamed).toEqual([text, text]);
  });

  it("continues after the server was restarted", async () => {
    const namespace = await inNewNamespace();
    await client.create(ConfigMap, { metadata: { name: "a", namespace } });
    await env.restart();

    expect((await client.get(ConfigMap, `${namespace}/a`)).metadata.name).toBe("a");
  });

  it("can fetch CRDs if they were created at runtime", async () => {
    const Shop = defineKind({
      group: "later.example.com",
      version: "v1",
      kind: "Shop",
      scope: "Cluster",
      spec: { type: "object" },
    });
    const shop = unstructured({ apiVersion: "later.example.com/v1", kind: "Shop" });
    await expect(client.list(shop)).rejects.toSatisfy(isNoMatch);
    await env.installCrds([Shop]);

    expect(await client.list(shop)).toEqual([]);
    expect(await client.mapper.mappingForResource("st")).toMatchObject({ gvk: { kind: "Site" }, scope: "Namespaced" });
  });
});
