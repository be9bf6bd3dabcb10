import { expect, it } from "vitest";
import { gvkOfResource, hasStatus, metadataIgnoredByStatus, storedKind } from "./resource.ts";
import type { KindStrategy } from "./strategy.ts";
import { thingResource } from "./testing/thing-resource.ts";

const status = { name: "status", verbs: [], kind: { group: "", version: "v1", kind: "Thing" } };

it.each<readonly [strategy: KindStrategy, subresources: readonly (typeof status)[], expected: boolean]>([
  [{}, [], false],
  [{}, [{ ...status, name: "scale" }], false],
  [{}, [{ ...status, name: "scale" }, status], true],
  [{ hasStatus: false }, [status], false],
  [{ hasStatus: true }, [], true],
])("has a status of its own by its strategy %j, or its subresources", (strategy, subresources, expected) => {
  expect(hasStatus({ ...thingResource(strategy), subresources })).toBe(expected);
});

it.each([
  [{}, "builtin", []],
  [{}, "custom", "all"],
  [{ statusIgnoresMetadata: ["labels"] }, "builtin", ["labels"]],
  [{ statusIgnoresMetadata: [] }, "custom", []],
] as const)("has metadata that its status leaves alone, by %j of a %s kind", (strategy, origin, expected) => {
  expect(metadataIgnoredByStatus({ ...thingResource(strategy), origin })).toEqual(expected);
});

it.each([
  ["", ""],
  ["apps", "apps"],
  ["events.k8s.io", ""],
])("names its kind in group %j", (group, stored) => {
  const resource = { ...thingResource(), group };
  expect(storedKind(resource)).toEqual({ group: stored, kind: "Thing" });
  expect(gvkOfResource(resource)).toEqual({ group, version: "v1", kind: "Thing" });
});
