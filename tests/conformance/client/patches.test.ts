import { isConflict, isInvalid, isNotFound, mutableCopy, type Stored, unstructured } from "@kubewright/apimachinery";
import { mergeFrom, strategicMergeFrom } from "@kubewright/client";
import { ConfigMap, Deployment, Secret } from "@kubewright/client/kinds";
import { builtinSchema, patchSchemaOf } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import { useServer } from "./server.ts";

const { client, inNewNamespace } = useServer();

describe("a merge patch", () => {
  const before: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "web", resourceVersion: "10", labels: { x: "y", z: "w" } },
    data: { k: "1", same: "same" },
  };
  const after = { ...before, metadata: { ...before.metadata, labels: { x: "y" } }, data: { k: "2", same: "same" } };

  it("CL-019 contains only the differences", async () => {
    expect(mergeFrom(before, after)).toEqual({ metadata: { labels: { z: null } }, data: { k: "2" } });
    expect(mergeFrom(before, before)).toEqual({});
    const namespace = await inNewNamespace();
    const made = await client().create(ConfigMap, { metadata: { name: "a", namespace }, data: { k: "1", l: "1" } });
    await client().patch(ConfigMap, made, { data: { other: "yes" } });
    const patched = await client().patch(ConfigMap, made, mergeFrom(made, { ...made, data: { k: "2" } }));
    expect(patched.data).toEqual({ k: "2", other: "yes" });
  });

  it("CL-020 contains the version for an optimistic lock", async () => {
    expect(mergeFrom(before, after, { optimisticLock: true })).toEqual({
      metadata: { labels: { z: null }, resourceVersion: "10" },
      data: { k: "2" },
    });
    const { resourceVersion: _, ...unversioned } = before.metadata;
    expect(() => mergeFrom<ConfigMap>({ ...before, metadata: unversioned }, after, { optimisticLock: true })).toThrow(
      "optimisticLock requires a resourceVersion in `before`",
    );
    const namespace = await inNewNamespace();
    const made = await client().create(ConfigMap, { metadata: { name: "a", namespace } });
    await client().patch(ConfigMap, made, { data: { other: "yes" } });
    const late = mergeFrom(made, { ...made, data: { k: "2" } }, { optimisticLock: true });
    await expect(client().patch(ConfigMap, made, late)).rejects.toSatisfy(isConflict);
  });
});

describe("a strategic merge patch", () => {
  const schemaOfDeployments = patchSchemaOf(
    builtinSchema({ group: "apps", version: "v1", kind: "Deployment" }) ?? missing(),
  );
  const labels = { app: "web" };
  const withContainers = (object: Stored<Deployment>, ...containers: { name: string; image: string }[]) => {
    const changed = mutableCopy(object);
    if (changed.spec) changed.spec.template.spec = { ...changed.spec.template.spec, containers };
    return changed;
  };

  it("CL-021 merges lists by key, contains their order, and the version for an optimistic lock", async () => {
    const [main, other] = [
      { name: "main", image: "nginx" },
      { name: "other", image: "nginx" },
    ];
    const made = await client().create(Deployment, {
      metadata: { name: "web", namespace: await inNewNamespace() },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [main] } } },
    });
    const both = { type: "strategic" } as const;
    const [present] = made.spec?.template.spec?.containers ?? [];
    const added = withContainers(made, { ...present, ...main }, other);
    const patch = strategicMergeFrom(schemaOfDeployments, made, added, { optimisticLock: true });
    expect(patch).toEqual({
      metadata: { resourceVersion: made.metadata.resourceVersion },
      spec: {
        template: {
          spec: { "$setElementOrder/containers": [{ name: "main" }, { name: "other" }], containers: [other] },
        },
      },
    });
    const patched = await client().patch(Deployment, made, patch, both);
    expect(patched.spec?.template.spec?.containers).toMatchObject([main, other]);
    await expect(client().patch(Deployment, made, patch, both)).rejects.toSatisfy(isConflict);

    const removed = strategicMergeFrom(schemaOfDeployments, added, made);
    expect(removed).not.toHaveProperty("metadata");
    const restored = await client().patch(Deployment, made, removed, both);
    expect(restored.spec?.template.spec?.containers).toMatchObject([main]);
  });
});

describe("server-side apply", () => {
  it.each([ConfigMap, unstructured({ apiVersion: "v1", kind: "ConfigMap" })])(
    "CL-023 creates or updates under an owner, with the version or without",
    async (kind) => {
      const namespace = await inNewNamespace();
      const wanted = { metadata: { name: "a", namespace }, data: { some: "data" } };
      const made = await client().apply(kind, wanted, { fieldOwner: "applier" });
      expect(made).toMatchObject({ data: { some: "data" }, metadata: { resourceVersion: expect.any(String) } });
      expect(made.metadata.managedFields).toMatchObject([{ manager: "applier", operation: "Apply" }]);
      const { resourceVersion } = made.metadata;
      const versioned = { metadata: { ...wanted.metadata, resourceVersion }, data: { other: "data" } };
      const updated = await client().apply(kind, versioned, { fieldOwner: "applier" });
      expect(updated).toMatchObject({ data: { other: "data" } });
      expect(Object.keys((await client().get(ConfigMap, `${namespace}/a`)).data ?? {})).toEqual(["other"]);
      expect(await client().apply(kind, wanted, { fieldOwner: "applier" })).toMatchObject({ data: { some: "data" } });
    },
  );

  it("CL-024 takes over objects that were created otherwise", async () => {
    const namespace = await inNewNamespace();
    const data = { some: "c29tZQ==" };
    await client().create(Secret, { metadata: { name: "a", namespace }, data });
    const applied = await client().apply(
      Secret,
      { metadata: { name: "a", namespace }, data },
      { fieldOwner: "applier" },
    );
    expect(applied.metadata.managedFields?.map(({ manager }) => manager).sort()).toEqual(["applier", "test"]);
    const changed = { metadata: { name: "a", namespace }, data: { some: "b3RoZXI=" } };
    await expect(client().apply(Secret, changed, { fieldOwner: "applier" })).rejects.toSatisfy(isConflict);
    const forced = await client().apply(Secret, changed, { fieldOwner: "applier", force: true });
    expect(forced.data).toEqual({ some: "b3RoZXI=" });
  });

  it("CL-025 is refused with distinguishable errors", async () => {
    const lost = { metadata: { name: "a", namespace: "no-such" }, data: {} };
    await expect(client().apply(ConfigMap, lost)).rejects.toSatisfy(isNotFound);
    const invalid = { metadata: { name: "Not Valid", namespace: "default" } };
    await expect(client().apply(ConfigMap, invalid)).rejects.toSatisfy(isInvalid);
  });
});

function missing(): never {
  throw new Error("there is no such kind");
}
