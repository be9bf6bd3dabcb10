import { mutableCopy, type Unstructured } from "@kubewright/apimachinery";
import type { TypeSchema } from "@kubewright/codec/schema";
import { builtinSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import {
  applying,
  by,
  configMap,
  configMaps,
  created,
  deployments,
  owners,
  refusal,
  stored,
} from "./testing/config-maps.ts";
import { createFieldManager } from "./typed-field-manager.ts";

describe("updates", () => {
  it("give a creator the new fields, except names and the like", () => {
    expect(owners(created())).toEqual({
      "a Update": {
        "f:data": { ".": {}, "f:a": {}, "f:b": {} },
        "f:metadata": { "f:annotations": { ".": {}, "f:q": {} }, "f:labels": { ".": {}, "f:x": {} } },
      },
    });
  });

  it("move changed fields to the writer, and nothing else", () => {
    const live = created();
    const next = { ...live, data: { a: "9", b: "2", c: "3" } };
    expect(owners(configMaps.update(live, next, by("b")))).toMatchObject({
      "a Update": { "f:data": { ".": {}, "f:b": {} } },
      "b Update": { "f:data": { "f:a": {}, "f:c": {} } },
    });
  });

  it("do not own structs that always exist, nor parents of defaults", () => {
    const deployment: Unstructured = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: "b" } },
        strategy: { type: "Recreate" },
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            containers: [{ name: "c", image: "x", resources: {}, ports: [{ containerPort: 80, protocol: "TCP" }] }],
          },
        },
      },
    };
    expect(owners(deployments.update(undefined, deployment, by("m")))).toEqual({
      "m Update": {
        "f:spec": {
          "f:replicas": {},
          "f:selector": {},
          "f:strategy": { "f:type": {} },
          "f:template": {
            "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"c"}': {
                  ".": {},
                  "f:image": {},
                  "f:name": {},
                  "f:ports": {
                    ".": {},
                    'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
                  },
                  "f:resources": {},
                },
              },
            },
          },
        },
      },
    });
  });

  it("do not track an object without fields, nor one whose list was cleared", () => {
    expect(configMaps.update(undefined, configMap(undefined), by("a")).metadata.managedFields).toBeUndefined();
    const live = created();
    const cleared = stored(
      configMaps.update(live, { ...live, metadata: { ...live.metadata, managedFields: [{}] } }, by("a")),
    );
    expect(cleared.metadata.managedFields).toBeUndefined();
    const changed = configMaps.update(cleared, { ...cleared, data: { z: "1" } }, by("b"));
    expect(changed.metadata.managedFields).toBeUndefined();
  });

  it("ignore a list that cannot be decoded", () => {
    const live = created();
    const broken = { ...live, metadata: { ...live.metadata, managedFields: [{ manager: "x" }] } };
    expect(owners(configMaps.update(live, broken, by("b")))).toEqual(owners(live));
  });

  it("change no times if nothing else changes", () => {
    const live = created();
    expect(configMaps.update(live, mutableCopy(live), by("a", { time: "2031-01-01T00:00:00Z" }))).toEqual(live);
  });

  it("keep entries of a subresource separate", () => {
    const live = stored(
      deployments.update(
        undefined,
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec: { replicas: 1 } },
        by("m"),
      ),
    );
    const scaled = deployments.update(live, { ...live, spec: { replicas: 3 } }, by("m", { subresource: "scale" }));
    expect(scaled.metadata.managedFields).toMatchObject([
      { manager: "m", operation: "Update", subresource: "scale", fieldsV1: { "f:spec": { "f:replicas": {} } } },
    ]);
  });

  it("merge the oldest of more than ten updaters into ancient-changes", () => {
    let live = stored(configMaps.update(undefined, configMap({ k0: "x" }), by("m0")));
    for (let i = 1; i <= 11; i++) {
      const time = new Date(Date.UTC(2030, 0, 1, 0, 0, i)).toISOString().replace(".000", "");
      const next = { ...live, data: { ...(live.data as object), [`k${i}`]: "x" } };
      live = configMaps.update(live, next, by(`m${i}`, { time }));
    }
    const names = (live.metadata.managedFields ?? []).map(({ manager }) => manager);
    expect(names).toHaveLength(10);
    expect(names[0]).toBe("ancient-changes");
    expect(owners(live)["ancient-changes Update"]).toEqual({
      "f:data": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {} },
    });
  });
});

describe("an entry of a version without conversion", () => {
  const schema = builtinSchema({ group: "", version: "v1", kind: "ConfigMap" });
  if (!schema) throw new Error("no schema");
  const thing = (version: string, data: object): Unstructured => ({
    apiVersion: `x.io/${version}`,
    kind: "Thing",
    metadata: { name: "t" },
    data,
  });
  const things = (version: string, versions: readonly string[], older?: TypeSchema) =>
    createFieldManager({
      gvk: { group: "x.io", version, kind: "Thing" },
      schema,
      convertibleVersions: new Map(versions.map((name) => [`x.io/${name}`, () => older])),
    });
  const first = things("v1", ["v1"]).update(undefined, thing("v1", { a: "1" }), by("first"));
  const live = stored({ ...first, apiVersion: "x.io/v2" });
  const patch = thing("v2", { b: "1" });

  it("is kept while the version exists", () => {
    const result = things("v2", ["v1", "v2"]).apply(live, patch, applying("m"));
    expect(Object.keys(owners(result))).toEqual(["m Apply", "first Update"]);
  });

  it("makes an apply fail with the converter's message", () => {
    const message = "request to convert CR to an invalid group/version: x.io/v1";
    expect(refusal(() => things("v2", ["v2"]).apply(live, patch, applying("m")))).toMatchObject({ message, code: 500 });
  });

  it("makes an apply fail if the object has undeclared fields of that version", () => {
    const other = builtinSchema({ group: "", version: "v1", kind: "Namespace" });
    expect(refusal(() => things("v2", ["v1", "v2"], other).apply(live, patch, applying("m")))).toMatchObject({
      message: ".data: field not declared in schema",
      code: 500,
    });
  });

  it("makes an update drop all managed fields", () => {
    const next = { ...live, data: { a: "2" } };
    expect(things("v2", ["v2"]).update(live, next, by("m")).metadata.managedFields).toBeUndefined();
  });
});
