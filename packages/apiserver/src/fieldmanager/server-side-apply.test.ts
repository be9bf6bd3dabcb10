import type { Unstructured } from "@kubewright/apimachinery";
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

describe("server-side apply", () => {
  it("owns exactly the applied fields, and shares fields with equal values", () => {
    const result = configMaps.apply(created(), configMap({ a: "1", d: "4" }), applying("ap"));
    expect(result.data).toEqual({ a: "1", b: "2", d: "4" });
    expect(owners(result)).toMatchObject({
      "ap Apply": { "f:data": { "f:a": {}, "f:d": {} } },
      "a Update": { "f:data": { ".": {}, "f:a": {}, "f:b": {} } },
    });
  });

  it("removes fields that are no longer applied, unless someone else owns them", () => {
    const first = stored(configMaps.apply(created(), configMap({ a: "1", d: "4" }), applying("ap")));
    const second = configMaps.apply(first, configMap({ b: "2" }), applying("ap"));
    expect(second.data).toEqual({ a: "1", b: "2" });
  });

  it("reports conflicts with upstream's message", () => {
    const live = created();
    const next = { ...live, data: { a: "9", b: "2" } };
    const shared = configMaps.update(live, next, by("b"));
    expect(refusal(() => configMaps.apply(shared, configMap({ a: "x" }), applying("ap")))).toEqual({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "b" using v1: .data.a',
      causes: [{ reason: "FieldManagerConflict", message: 'conflict with "b" using v1', field: ".data.a" }],
    });
    expect(refusal(() => configMaps.apply(shared, configMap({ a: "x", b: "y" }), applying("ap"))).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "a" using v1:\n- .data.b\nconflicts with "b" using v1:\n- .data.a',
    );
  });

  it("takes fields by force", () => {
    const result = configMaps.apply(created(), configMap({ a: "x" }), applying("ap", true));
    expect(result.data).toEqual({ a: "x", b: "2" });
    expect(owners(result)).toMatchObject({
      "ap Apply": { "f:data": { "f:a": {} } },
      "a Update": { "f:data": { ".": {}, "f:b": {} } },
    });
  });

  it("identifies appliers without their version", () => {
    const live = stored(configMaps.apply(undefined, configMap({ k: "1" }), applying("third")));
    expect(refusal(() => configMaps.apply(live, configMap({ k: "2" }), applying("ap"))).message).toBe(
      'Apply failed with 1 conflict: conflict with "third": .data.k',
    );
  });

  it("assigns everything to before-first-apply if nothing had an owner", () => {
    const result = configMaps.apply(stored(configMap({ a: "1" })), configMap({ b: "2" }), applying("ap"));
    expect(owners(result)).toEqual({
      "ap Apply": { "f:data": { "f:b": {} } },
      "before-first-apply Update": { "f:data": { ".": {}, "f:a": {} } },
    });
  });

  it("returns the live object if only times would change", () => {
    const live = stored(configMaps.apply(undefined, configMap({ k: "1" }), applying("ap")));
    const again = { ...applying("ap"), time: "2031-01-01T00:00:00Z" };
    expect(configMaps.apply(live, configMap({ k: "1" }), again)).toEqual(live);
  });

  it("merges keyed lists by item, with defaults in the key", () => {
    const live: Unstructured = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", uid: "u" },
      spec: {
        template: {
          spec: { containers: [{ name: "c", image: "x", ports: [{ containerPort: 80, protocol: "TCP" }] }] },
        },
      },
    };
    const patch: Unstructured = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: {
        template: {
          spec: {
            containers: [
              { name: "c", ports: [{ containerPort: 80, name: "web" }] },
              { name: "side", image: "y" },
            ],
          },
        },
      },
    };
    expect(deployments.apply(live, patch, applying("ap")).spec).toEqual({
      template: {
        spec: {
          containers: [
            { name: "c", image: "x", ports: [{ containerPort: 80, protocol: "TCP", name: "web" }] },
            { name: "side", image: "y" },
          ],
        },
      },
    });
  });

  it("lets kubectl take over the fields of its own client-side apply", () => {
    const annotation = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}}`;
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": annotation };
    const live = stored(
      configMaps.update(undefined, configMap({ a: "1" }, { annotations }), by("kubectl-client-side-apply")),
    );
    const result = configMaps.apply(live, configMap({ a: "2" }), applying("kubectl"));
    expect(result.data).toEqual({ a: "2" });
    expect(result.metadata.annotations?.["kubectl.kubernetes.io/last-applied-configuration"]).toContain('"a":"2"');
    expect(refusal(() => configMaps.apply(live, configMap({ a: "2" }), applying("other"))).code).toBe(409);
  });

  it.each([
    [configMap({ a: 1 }), ".data.a: expected string, got number"],
    [{ ...configMap({}), bogus: 1 }, ".bogus: field not declared in schema"],
    [{ ...configMap({}), immutable: "x" }, ".immutable: expected boolean, got string"],
    [{ ...configMap(undefined), data: "x" }, ".data: expected map, got string"],
  ])("rejects a configuration that does not match the type: %#", (patch, text) => {
    expect(refusal(() => configMaps.apply(created(), patch, applying("ap"))).message).toBe(
      `failed to create typed patch object (/c; /v1, Kind=ConfigMap): ${text}`,
    );
  });

  it("rejects another kind and managed fields in the patch", () => {
    const secret = { ...configMap({}), kind: "Secret" };
    expect(refusal(() => configMaps.apply(undefined, secret, applying("ap"))).message).toBe(
      "invalid object type: /v1, Kind=Secret",
    );
    const patch = configMap({}, { managedFields: [] });
    expect(refusal(() => configMaps.apply(undefined, patch, applying("ap"))).message).toBe(
      "metadata.managedFields must be nil",
    );
  });
});
