import {
  isBadRequest,
  isConflict,
  isInvalid,
  isNotFound,
  isStatusError,
  type Kind,
  type KubeObject,
  metadataOnly,
  type ObjectMeta,
  type Stored,
  unstructured,
} from "@kubewright/apimachinery";
import { ConfigMap, Deployment, Lease, Pod, Secret, Service, ServiceAccount } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { useServer } from "./server.ts";

// Upstream tests these guarantees on a fake client; here, a server in the same process gives them.
const { client, env, inNewNamespace } = useServer();
const labels = { app: "web" };
const containers = [{ name: "web", image: "nginx" }];
const untyped = unstructured({ apiVersion: "v1", kind: "ConfigMap" });
const newMap = async (more: Partial<ObjectMeta> = {}): Promise<Stored<ConfigMap>> =>
  client().create(ConfigMap, { metadata: { name: "a", namespace: await inNewNamespace(), ...more } });
const keyOf = ({ metadata }: Pick<KubeObject, "metadata">) => `${metadata.namespace}/${metadata.name}`;
const newDeployment = async () =>
  client().create(Deployment, {
    metadata: { name: "web", namespace: await inNewNamespace() },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });

describe("basics", () => {
  it("gives every write a newer version", async () => {
    const made = await newMap();
    const changed = await client().update(ConfigMap, { ...made, data: { k: "v" } });
    expect(BigInt(changed.metadata.resourceVersion ?? 0)).toBeGreaterThan(BigInt(made.metadata.resourceVersion ?? 0));
  });

  it("CL-074 creates objects with a version, refuses a given version and an empty name, and does not change the passed object", async () => {
    const namespace = await inNewNamespace();
    const metadata = { name: "a", namespace };
    const versioned = { metadata: { ...metadata, resourceVersion: "7" } };
    const refused = await client()
      .create(ConfigMap, versioned)
      .catch((error: unknown) => error);
    expect(String(refused)).toContain("resourceVersion should not be set on objects to be created");
    await expect(client().create(ConfigMap, { metadata: { namespace } as never })).rejects.toSatisfy(isInvalid);
    expect(versioned).toEqual({ metadata: { name: "a", namespace, resourceVersion: "7" } });
    expect((await client().create(ConfigMap, { metadata })).metadata.resourceVersion).toMatch(/^\d+$/);
  });

  it("sets kind and apiVersion of each object, also in lists", async () => {
    const made = await newMap();
    for (const { apiVersion, kind } of [made, ...(await client().list(ConfigMap, { labels: {} }))])
      expect([apiVersion, kind]).toEqual(["v1", "ConfigMap"]);
  });

  it("CL-076 stores kinds without a type in the program, and returns the metadata of any kind", async () => {
    const namespace = await inNewNamespace();
    const made = await client().create(untyped, { metadata: { name: "a", namespace }, data: { k: "v" } });
    expect(await client().list(untyped, { namespace })).toEqual([made]);
    expect(await client().patch(untyped, made, { data: { k: "w" } })).toMatchObject({ data: { k: "w" } });
    expect(await client().get(metadataOnly(untyped), keyOf(made))).not.toHaveProperty("data");
    await client().delete(untyped, made);
    await expect(client().get(untyped, keyOf(made))).rejects.toSatisfy(isNotFound);
  });

  it("CL-077 selects by labels, deletes collections, and reports events", async () => {
    const namespace = await inNewNamespace();
    const { metadata } = await client().list(ConfigMap, { namespace });
    for (const name of ["a", "b"])
      await client().create(ConfigMap, { metadata: { name, namespace, labels: { name } } });
    expect(await client().list(ConfigMap, { namespace, labels: "name!=a" })).toHaveLength(1);
    await client().deleteCollection(ConfigMap, { namespace, labels: { name: "a" } });
    const received: string[] = [];
    for await (const { type, object } of client().watch(ConfigMap, {
      namespace,
      resourceVersion: metadata.resourceVersion,
    })) {
      if (type === "BOOKMARK") continue;
      received.push(`${type} ${object.metadata.name}`);
      if (type === "DELETED") break;
    }
    expect(received).toEqual(["ADDED a", "ADDED b", "DELETED a"]);
  });

  it("CL-078 validates a dry run, and changes nothing", async () => {
    const made = await newMap();
    const dryRun = { dryRun: true };
    await client().update(ConfigMap, { ...made, data: { k: "v" } }, dryRun);
    await client().patch(ConfigMap, made, { data: { k: "v" } }, dryRun);
    await client().delete(ConfigMap, made, dryRun);
    expect(await client().get(ConfigMap, keyOf(made))).toEqual(made);
    const invalid = { metadata: { name: "Not Valid", namespace: "default" } };
    await expect(client().create(ConfigMap, invalid, dryRun)).rejects.toSatisfy(isInvalid);
  });
});

describe("versions and races", () => {
  const without = <T extends KubeObject>(object: T): T => {
    const { resourceVersion: _, ...metadata } = object.metadata;
    return { ...object, metadata } as T;
  };

  it("CL-080 refuses an outdated version, and a missing one only for kinds that require it", async () => {
    const made = await newMap();
    const stale = { ...made, metadata: { ...made.metadata, resourceVersion: "1" } };
    await expect(client().update(ConfigMap, stale)).rejects.toSatisfy(isConflict);
    expect(await client().update(ConfigMap, without(made))).toMatchObject({ metadata: { uid: made.metadata.uid } });
    await env().installCrds([crd]);
    const site = await client().create(Sites, { metadata: { name: "a", namespace: "default" } });
    await expect(client().update(Sites, without(site))).rejects.toThrow("metadata.resourceVersion");
  });

  it("CL-081 creates by update only for kinds that allow it", async () => {
    const metadata = { name: "new", namespace: await inNewNamespace() };
    const lease = await client().update(Lease, { metadata } as never);
    expect(lease.metadata).toMatchObject({ ...metadata, uid: expect.any(String) });
    await expect(client().update(ConfigMap, { metadata } as never)).rejects.toSatisfy(isNotFound);
  });

  it("CL-082 accepts all concurrent patches without a version, and the first of those with one", async () => {
    const made = await newMap();
    const patch = (i: number) => ({ data: { [`k${i}`]: "v" } });
    const tries = Array.from({ length: 5 }, (_, i) => i);
    await Promise.all(tries.map((i) => client().patch(ConfigMap, made, patch(i))));
    const patched = await client().get(ConfigMap, keyOf(made));
    expect(Object.keys(patched.data ?? {}).sort()).toEqual(["k0", "k1", "k2", "k3", "k4"]);
    const locked = await Promise.allSettled(
      tries.map((i) => client().update(ConfigMap, { ...patched, data: { only: String(i) } })),
    );
    expect(locked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of locked) if (result.status === "rejected") expect(isConflict(result.reason)).toBe(true);
  });

  it("CL-084 supports all verbs concurrently", async () => {
    const namespace = await inNewNamespace();
    const metadata = { name: "raced", namespace };
    const lease = { metadata } as never;
    for (let round = 0; round < 5; round++) {
      const [updated, , cleared] = await Promise.allSettled([
        client().update(Lease, lease),
        client().create(Lease, lease),
        client().deleteCollection(Lease, { namespace }),
        client().delete(Lease, { metadata }),
        client().list(Lease, { namespace }),
      ]);
      expect(cleared?.status).toBe("fulfilled");
      if (updated?.status === "rejected") expect(isStatusError(updated.reason)).toBe(true);
    }
  });
});

describe("deletion and finalizers", () => {
  const finalizers = ["example.com/hold"];

  it.each(["update", "patch", "apply"])("CL-085 ends when the last finalizer is removed by %s", async (verb) => {
    const made = await newMap(verb === "apply" ? {} : { finalizers });
    const { name, namespace = "" } = made.metadata;
    const applier = { fieldOwner: "applier", force: true };
    if (verb === "apply") await client().apply(ConfigMap, { metadata: { name, namespace, finalizers } }, applier);
    await client().delete(ConfigMap, made);
    const deleting = await client().get(ConfigMap, keyOf(made));
    expect(deleting.metadata.deletionTimestamp).toEqual(expect.any(String));
    if (verb === "update")
      await client().update(ConfigMap, { ...deleting, metadata: { ...deleting.metadata, finalizers: [] } });
    else if (verb === "patch") await client().patch(ConfigMap, made, { metadata: { finalizers: null } });
    else await client().apply(ConfigMap, { metadata: { name, namespace } }, applier);
    await expect(client().get(ConfigMap, keyOf(made))).rejects.toSatisfy(isNotFound);
  });

  it("CL-086 cannot be set or changed by a write, and stays if a write omits it", async () => {
    const made = await newMap({ finalizers });
    const time = (deletionTimestamp: string | null) => ({ metadata: { deletionTimestamp } });
    await expect(client().patch(ConfigMap, made, time("2026-01-01T00:00:00Z"))).rejects.toSatisfy(isInvalid);
    await client().delete(ConfigMap, made);
    const deleting = await client().get(ConfigMap, keyOf(made));
    const changed = { ...deleting, metadata: { ...deleting.metadata, ...time("2026-01-01T00:00:00Z").metadata } };
    // Servers either refuse this or ignore it.
    await Promise.allSettled([
      client().patch(ConfigMap, made, time("2026-01-01T00:00:00Z")),
      client().update(ConfigMap, changed as typeof deleting),
    ]);
    const patched = await client().patch(ConfigMap, made, { ...time(null), data: { k: "v" } });
    expect(patched.metadata.deletionTimestamp).toBe(deleting.metadata.deletionTimestamp);
  });

  it("CL-087 marks objects with finalizers when a collection is deleted, and keeps them", async () => {
    const made = await newMap({ finalizers });
    const { namespace = "" } = made.metadata;
    await client().create(ConfigMap, { metadata: { name: "b", namespace } });
    await client().deleteCollection(ConfigMap, { namespace });
    expect(await client().list(ConfigMap, { namespace })).toMatchObject([
      { metadata: { name: "a", deletionTimestamp: expect.any(String) } },
    ]);
  });
});

describe("status and subresources", () => {
  it("CL-088 leaves the status unchanged in other writes", async () => {
    const made = await newDeployment();
    const { name, namespace = "" } = made.metadata;
    await client().status.patch(Deployment, made, { replicas: 1 });
    const status = { replicas: 7 };
    const read = await client().get(Deployment, keyOf(made));
    expect((await client().update(Deployment, { ...read, status })).status?.replicas).toBe(1);
    expect((await client().patch(Deployment, made, { status })).status?.replicas).toBe(1);
    const applied = await client().apply(Deployment, { metadata: { name, namespace }, status }, { fieldOwner: "me" });
    expect(applied.status?.replicas).toBe(1);
  });

  it("CL-089 changes only the status in status writes, and checks the version", async () => {
    const made = await newDeployment();
    const changed = {
      ...made,
      metadata: { ...made.metadata, labels: { changed: "yes" } },
      spec: { ...made.spec, replicas: 9 },
      status: { replicas: 2 },
    } as typeof made;
    const updated = await client().status.update(Deployment, changed);
    expect([updated.status?.replicas, updated.spec?.replicas, updated.metadata.labels]).toEqual([2, 1, undefined]);
    await expect(client().status.update(Deployment, changed)).rejects.toSatisfy(isConflict);
  });

  it("CL-090 evicts pods and creates tokens, and refuses other bodies and missing objects", async () => {
    const namespace = await inNewNamespace();
    const eviction = client().subResource("eviction");
    const pod = await client().create(Pod, { metadata: { name: "web", namespace }, spec: { containers } });
    const wrong = { kind: "Pod", apiVersion: "v1", metadata: { name: "web" } };
    await expect(eviction.create(Pod, pod, wrong)).rejects.toSatisfy(isBadRequest);
    await eviction.create(Pod, pod, { deleteOptions: { gracePeriodSeconds: 0 } });
    await expect(eviction.create(Pod, pod, {})).rejects.toSatisfy(isNotFound);
    const tokens = client().subResource("token");
    await expect(tokens.create(ServiceAccount, `${namespace}/none`, { spec: { audiences: [] } })).rejects.toSatisfy(
      isNotFound,
    );
    await client().create(ServiceAccount, { metadata: { name: "robot", namespace } });
    const { status } = await tokens.create(ServiceAccount, `${namespace}/robot`, { spec: { audiences: [] } });
    expect(status?.token).toEqual(expect.any(String));
    expect(Date.parse(status?.expirationTimestamp ?? "")).toBeGreaterThan(Date.now());
  });

  it("scales objects that have a scale, and returns no scale for others", async () => {
    const scale = client().subResource("scale");
    const made = await newDeployment();
    const kind = unstructured({ apiVersion: "apps/v1", kind: "Deployment" });
    expect((await scale.patch(kind, made, { spec: { replicas: 5 } })).spec?.replicas).toBe(5);
    await expect(scale.get(ConfigMap, await newMap())).rejects.toSatisfy(isNotFound);
  });
});

describe("apply and managed fields", () => {
  it.each(["method", "patch type"])("CL-092 drops fields that their owner no longer sets, by %s", async (form) => {
    await env().installCrds([crd]);
    const apply = async (kind: Kind, object: object) =>
      form === "method"
        ? client().apply(kind, object as never, { fieldOwner: "me", force: true })
        : client().patch(
            kind,
            object as KubeObject,
            { apiVersion: kind.group ? `${kind.group}/v1` : "v1", kind: kind.kind, ...object } as never,
            { type: "apply", fieldOwner: "me", force: true },
          );
    const metadata = { name: "applied", namespace: await inNewNamespace() };
    await apply(ConfigMap, { metadata, data: { a: "1", b: "1" } });
    expect(await apply(ConfigMap, { metadata, data: { a: "2" } })).toMatchObject({ data: { a: "2" } });
    expect(Object.keys((await client().get(ConfigMap, keyOf({ metadata }))).data ?? {})).toEqual(["a"]);
    await apply(Sites, { metadata, spec: { a: "1", b: "1" } });
    await apply(Sites, { metadata, spec: { a: "2" } });
    expect(await client().get(Sites, keyOf({ metadata }))).toMatchObject({ spec: { a: "2" } });
  });

  it("CL-093 CL-094 refuses an apply without an owner, with a wrong one, or with managed fields", async () => {
    const wanted = { metadata: { name: "a", namespace: "default" } };
    const nobody = client().apply(ConfigMap, wanted, { fieldOwner: "" });
    await expect(nobody).rejects.toThrow(/fieldManager/);
    await expect(client().apply(ConfigMap, wanted, { fieldOwner: "a\nb" })).rejects.toSatisfy(isInvalid);
    const managed = { metadata: { ...wanted.metadata, managedFields: [{ manager: "me" }] } };
    await expect(client().apply(ConfigMap, managed, { fieldOwner: "me" })).rejects.toThrow("managedFields must be nil");
  });

  it("CL-096 CL-097 records the owner of every write, and returns the stored object", async () => {
    const namespace = await inNewNamespace();
    const metadata = { name: "a", namespace };
    const made = await client().create(Secret, { metadata, data: { a: "MQ==" } }, { fieldOwner: "creator" });
    const updated = await client().update(Secret, { ...made, data: { a: "Mg==" } }, { fieldOwner: "updater" });
    expect(await client().get(Secret, keyOf(made))).toEqual(updated);
    const patched = await client().patch(Secret, made, { data: { b: "MQ==" } }, { fieldOwner: "patcher" });
    expect(await client().get(Secret, keyOf(made))).toEqual(patched);
    const managers = patched.metadata.managedFields?.map(({ manager }) => manager);
    expect(managers?.sort()).toEqual(["creator", "patcher", "updater"]);
  });

  it("returns the existing managed fields", async () => {
    const { namespace = "" } = (await newMap({ labels })).metadata;
    for (const { metadata } of await client().list(ConfigMap, { namespace }))
      expect(metadata.managedFields).toMatchObject([{ manager: "test" }]);
  });

  it("knows the selectable fields", async () => {
    // The second message is that of servers before 1.32.
    await expect(client().list(Service, { fields: { "spec.none": "x" } })).rejects.toThrow(
      /field label not supported: spec\.none|"spec\.none" is not a known field selector/,
    );
    expect(await client().list(Service, { fields: { "metadata.name": "none" }, labels: { a: "b" } })).toEqual([]);
  });
});

const Sites: Kind = { group: "shop.example.com", version: "v1", kind: "Site", plural: "sites", scope: "Namespaced" };
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.shop.example.com" },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced",
    names: { plural: "sites", kind: "Site" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
