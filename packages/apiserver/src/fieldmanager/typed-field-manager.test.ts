import { isStatusError, mutableCopy, type StatusCause, type Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import type { FieldManager, FieldManagerOptions } from "./field-manager.ts";
import { createFieldManager } from "./typed-field-manager.ts";

function managerOf(group: string, version: string, kind: string): FieldManager {
  const gvk = { group, version, kind };
  const schema = builtinSchema(gvk);
  if (!schema) throw new Error(kind);
  return createFieldManager({ gvk, schema });
}
const configMaps = managerOf("", "v1", "ConfigMap");
const deployments = managerOf("apps", "v1", "Deployment");

const by = (manager: string, rest: Partial<FieldManagerOptions> = {}): FieldManagerOptions => ({
  manager,
  subresource: "",
  time: "2030-01-01T00:00:00Z",
  resetFields: [["status"]],
  ...rest,
});
const applying = (manager: string, force = false) => ({ ...by(manager), force });

const configMap = (data: Record<string, unknown> | undefined, metadata: object = {}): Unstructured => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ...metadata },
  ...(data ? { data } : {}),
});

/** As the store would: the object exists from now on. */
const stored = (object: Unstructured): Unstructured => ({ ...object, metadata: { ...object.metadata, uid: "u" } });

const owners = (object: Unstructured): Record<string, unknown> =>
  Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]),
  );

function refusal(run: () => unknown): { message: string; code: number; causes: StatusCause[] } {
  try {
    run();
  } catch (error) {
    if (isStatusError(error))
      return { message: error.message, code: error.code, causes: error.status.details?.causes ?? [] };
    throw error;
  }
  throw new Error("nothing was thrown");
}

const created = (): Unstructured =>
  stored(
    configMaps.update(
      undefined,
      configMap({ a: "1", b: "2" }, { labels: { x: "y" }, annotations: { q: "r" } }),
      by("a"),
    ),
  );

describe("updates", () => {
  it("give a creator what came into being, but not names and the like", () => {
    expect(owners(created())).toEqual({
      "a Update": {
        "f:data": { ".": {}, "f:a": {}, "f:b": {} },
        "f:metadata": { "f:annotations": { ".": {}, "f:q": {} }, "f:labels": { ".": {}, "f:x": {} } },
      },
    });
  });

  it("move what changed to the writer and leave the rest where it is", () => {
    const live = created();
    const next = { ...live, data: { a: "9", b: "2", c: "3" } };
    expect(owners(configMaps.update(live, next, by("b")))).toMatchObject({
      "a Update": { "f:data": { ".": {}, "f:b": {} } },
      "b Update": { "f:data": { "f:a": {}, "f:c": {} } },
    });
  });

  it("do not own structs that are always there, nor defaults' parents", () => {
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

  it("ignore a list that does not decode", () => {
    const live = created();
    const broken = { ...live, metadata: { ...live.metadata, managedFields: [{ manager: "x" }] } };
    expect(owners(configMaps.update(live, broken, by("b")))).toEqual(owners(live));
  });

  it("change no times when nothing else changes", () => {
    const live = created();
    expect(configMaps.update(live, mutableCopy(live), by("a", { time: "2031-01-01T00:00:00Z" }))).toEqual(live);
  });

  it("keep entries of a subresource apart", () => {
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

describe("server-side apply", () => {
  it("owns exactly what is applied and shares what others have at the same value", () => {
    const result = configMaps.apply(created(), configMap({ a: "1", d: "4" }), applying("ap"));
    expect(result.data).toEqual({ a: "1", b: "2", d: "4" });
    expect(owners(result)).toMatchObject({
      "ap Apply": { "f:data": { "f:a": {}, "f:d": {} } },
      "a Update": { "f:data": { ".": {}, "f:a": {}, "f:b": {} } },
    });
  });

  it("removes what is no longer applied unless somebody else owns it", () => {
    const first = stored(configMaps.apply(created(), configMap({ a: "1", d: "4" }), applying("ap")));
    const second = configMaps.apply(first, configMap({ b: "2" }), applying("ap"));
    expect(second.data).toEqual({ a: "1", b: "2" });
  });

  it("reports conflicts in upstream's words", () => {
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

  it("names appliers without their version", () => {
    const live = stored(configMaps.apply(undefined, configMap({ k: "1" }), applying("third")));
    expect(refusal(() => configMaps.apply(live, configMap({ k: "2" }), applying("ap"))).message).toBe(
      'Apply failed with 1 conflict: conflict with "third": .data.k',
    );
  });

  it("gives everything to before-first-apply where nobody owned anything", () => {
    const result = configMaps.apply(stored(configMap({ a: "1" })), configMap({ b: "2" }), applying("ap"));
    expect(owners(result)).toEqual({
      "ap Apply": { "f:data": { "f:b": {} } },
      "before-first-apply Update": { "f:data": { ".": {}, "f:a": {} } },
    });
  });

  it("returns the live object when nothing would change but times", () => {
    const live = stored(configMaps.apply(undefined, configMap({ k: "1" }), applying("ap")));
    const again = { ...applying("ap"), time: "2031-01-01T00:00:00Z" };
    expect(configMaps.apply(live, configMap({ k: "1" }), again)).toEqual(live);
  });

  it("merges keyed lists item by item, their defaults taking part in the key", () => {
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

  it("lets kubectl take over what its own client-side apply left behind", () => {
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
    [configMap({ a: 1 }), ".data.a: expected string, got &value.valueUnstructured{Value:1}"],
    [{ ...configMap({}), bogus: 1 }, ".bogus: field not declared in schema"],
    [{ ...configMap({}), immutable: "x" }, ".immutable: expected boolean, got &{x}"],
    [{ ...configMap(undefined), data: "x" }, ".data: expected map, got &{x}"],
  ])("refuses what does not fit the type: %#", (patch, text) => {
    expect(refusal(() => configMaps.apply(created(), patch, applying("ap"))).message).toBe(
      `failed to create typed patch object (/c; /v1, Kind=ConfigMap): ${text}`,
    );
  });

  it("refuses another kind and managed fields in the patch", () => {
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
