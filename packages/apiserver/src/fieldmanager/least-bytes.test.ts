import type { Unstructured } from "@kubewright/apimachinery";
import { builtinSchema } from "@kubewright/codec/schema";
import { expect, it } from "vitest";
import { leastBytes } from "./least-bytes.ts";
import { applying, by, configMap, configMaps, deployments, refusal, stored } from "./testing/config-maps.ts";

const schemas = {
  ConfigMap: builtinSchema({ group: "", version: "v1", kind: "ConfigMap" }) ?? expect.unreachable(),
  Deployment: builtinSchema({ group: "apps", version: "v1", kind: "Deployment" }) ?? expect.unreachable(),
};
const leastOf = (object: Unstructured, live?: Unstructured): number =>
  leastBytes(object, object.kind === "ConfigMap" ? schemas.ConfigMap : schemas.Deployment, ["status"], live);
const bytesOf = (object: Unstructured): number => Buffer.byteLength(JSON.stringify(object));
const text = (length: number): string => "x".repeat(length);
const flood = (count: number, length = 8): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [String(i).padStart(length, "k"), "v"]));
const deployment = (spec: object): Unstructured => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", labels: flood(3), annotations: flood(2) },
  spec,
});
const container = { name: "c", image: "i", ports: [{ containerPort: 80, protocol: "TCP" }], args: ["a", "b"] };

it.each<[string, Unstructured, typeof configMaps]>([
  ["without members", configMap(undefined), configMaps],
  ["with a few members", configMap({ a: "1", b: "" }), configMaps],
  ["with many members", configMap(flood(1_000)), configMaps],
  ["with members of one letter", configMap(flood(26, 1)), configMaps],
  ["with many labels", configMap({}, { labels: flood(1_000), annotations: flood(10) }), configMaps],
  [
    "with lists, empty members and zeros",
    deployment({
      replicas: 0,
      paused: false,
      selector: { matchLabels: {} },
      strategy: {},
      template: {
        metadata: { labels: flood(9) },
        spec: { containers: [container], nodeSelector: flood(50), volumes: [] },
      },
    }),
    deployments,
  ],
])("is at most the stored size of an object %s, created, applied or updated", (_what, object, manager) => {
  const created = manager.update(undefined, structuredClone(object), by("a"));
  for (const made of [created, manager.apply(undefined, structuredClone(object), applying("a"))])
    expect(leastOf(object)).toBeLessThanOrEqual(bytesOf(made));
  for (const part of [every(object, 2), every(object, 3), structuredClone(object)]) {
    const live = stored(manager.update(undefined, part, by("a")));
    for (const writer of ["a", "b"]) {
      const updated = manager.update(live, structuredClone(object), by(writer));
      expect(leastOf(object, live)).toBeLessThanOrEqual(bytesOf(updated));
    }
  }
});

/** Returns a copy without each nth member of a map below `spec`, `data` and `metadata`, and without each nth item of a list. */
function every<T>(value: T, nth: number, depth = 0): T {
  if (Array.isArray(value)) return value.filter((_, at) => at % nth > 0).map((one) => every(one, nth, depth + 1)) as T;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name], at) => depth < 2 || name === "name" || at % nth > 0);
  return Object.fromEntries(kept.map(([name, one]) => [name, every(one, nth, depth + 1)])) as T;
}

it("is most of the stored size of an object with many members", () => {
  for (const object of [configMap(flood(5_000)), configMap({}, { labels: flood(5_000) })]) {
    expect(leastOf(object)).toBeGreaterThan(
      bytesOf(configMaps.update(undefined, structuredClone(object), by("a"))) * 0.8,
    );
    const live = stored(configMaps.update(undefined, configMap({}), by("a")));
    const updated = configMaps.update(live, structuredClone(object), by("a"));
    expect(leastOf(object, live)).toBeGreaterThan(bytesOf(updated) * 0.8);
  }
});

it("is the size that a write must not exceed", () => {
  const object = configMap(flood(100));
  const live = stored(configMaps.update(undefined, configMap(flood(50)), by("a")));
  const writes = [
    [leastOf(object), (maxBytes: number) => configMaps.update(undefined, configMap(flood(100)), by("a", { maxBytes }))],
    [leastOf(object), (maxBytes: number) => configMaps.apply(live, object, { ...applying("a"), maxBytes })],
    [leastOf(object, live), (maxBytes: number) => configMaps.update(live, object, by("a", { maxBytes }))],
  ] as const;
  for (const [least, write] of writes) {
    expect(refusal(() => write(least - 1))).toMatchObject({ code: 500, message: "etcdserver: request is too large" });
    expect(() => write(least)).not.toThrow();
  }
  const untracked = stored(configMap({}));
  expect(configMaps.update(untracked, object, by("a", { maxBytes: 1 }))).toEqual(object); // creates no sets
});

it("counts nothing that a server may omit or shorten", () => {
  const least = leastOf;
  const none = least(configMap(undefined));
  expect(least(configMap(undefined, { name: text(1_000), uid: text(1_000) }))).toBe(none);
  expect(least({ ...configMap(undefined), [text(1_000)]: flood(1_000) })).toBe(none); // not declared
  expect(least({ ...configMap(undefined), status: flood(1_000) })).toBe(none);
  expect(least({ ...configMap(undefined), immutable: false, binaryData: null })).toBe(none);
  expect(least(configMap({ a: text(1_000) }))).toBe(least(configMap({ a: "x" })));
});

it("counts members of an atomic map, which has one owner, without their fields", () => {
  const least = (spec: object): number => leastOf(deployment(spec));
  const none = least({});
  const atomic = least({ selector: { matchLabels: flood(1_000) } }) - none;
  const granular = least({ template: { metadata: { labels: flood(1_000) } } }) - none;
  expect(atomic).toBeGreaterThan(10_000);
  expect(atomic).toBeLessThan(JSON.stringify(flood(1_000)).length + 100);
  expect(granular).toBeGreaterThan(atomic * 1.8);
  const spec = deployment({ selector: { matchLabels: flood(9) } });
  expect(leastBytes(spec, schemas.Deployment, ["spec"])).toBe(leastBytes(deployment({}), schemas.Deployment, ["spec"]));
});

it("counts only fields that an update adds", () => {
  const live = configMap(flood(900));
  const added = leastOf(configMap(flood(1_000)), live) - leastOf(configMap(flood(900)), live);
  expect(added).toBe(100 * (8 + 4 + 1) + 100 * (8 + 7));
});
