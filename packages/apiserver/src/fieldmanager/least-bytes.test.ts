import type { Unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { applying, by, configMap, configMaps, deployments } from "./testing/config-maps.ts";

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
])("is no more than what an object %s is stored as, created or applied", (_what, object, manager) => {
  const least = manager.leastBytes(object, by("a"));
  for (const made of [
    manager.update(undefined, structuredClone(object), by("a")),
    manager.apply(undefined, structuredClone(object), applying("a")),
  ])
    expect(least).toBeLessThanOrEqual(Buffer.byteLength(JSON.stringify(made)));
});

it("is most of what an object of many members is stored as", () => {
  for (const object of [configMap(flood(5_000)), configMap({}, { labels: flood(5_000) })]) {
    const bytes = Buffer.byteLength(JSON.stringify(configMaps.update(undefined, structuredClone(object), by("a"))));
    expect(configMaps.leastBytes(object, by("a"))).toBeGreaterThan(bytes * 0.8);
  }
});

it("counts nothing that a server may leave out or write in a shorter form", () => {
  const least = (object: Unstructured): number => configMaps.leastBytes(object, by("a"));
  const none = least(configMap(undefined));
  expect(least(configMap(undefined, { name: text(1_000), uid: text(1_000) }))).toBe(none);
  expect(least({ ...configMap(undefined), [text(1_000)]: flood(1_000) })).toBe(none); // not declared
  expect(least({ ...configMap(undefined), status: flood(1_000) })).toBe(none);
  expect(least({ ...configMap(undefined), immutable: false, binaryData: null })).toBe(none);
  expect(least(configMap({ a: text(1_000) }))).toBe(least(configMap({ a: "x" })));
});

it("counts members of an atomic map, which are owned together, without their fields", () => {
  const least = (spec: object): number => deployments.leastBytes(deployment(spec), by("a"));
  const none = least({});
  const atomic = least({ selector: { matchLabels: flood(1_000) } }) - none;
  const granular = least({ template: { metadata: { labels: flood(1_000) } } }) - none;
  expect(atomic).toBeGreaterThan(10_000);
  expect(atomic).toBeLessThan(JSON.stringify(flood(1_000)).length + 100);
  expect(granular).toBeGreaterThan(atomic * 1.8);
  expect(
    deployments.leastBytes(deployment({ selector: { matchLabels: flood(9) } }), by("a", { resetFields: [["spec"]] })),
  ).toBe(deployments.leastBytes(deployment({}), by("a", { resetFields: [["spec"]] })));
});
