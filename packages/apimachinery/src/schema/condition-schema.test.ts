import { type Static, Type } from "typebox";
import { expect, expectTypeOf, it } from "vitest";
import { defineKind } from "../definition/define-kind.ts";
import { setCondition } from "../object/conditions.ts";
import { Condition, Conditions } from "./condition-schema.ts";
import { toStructuralSchema } from "./normalise.ts";

const status = Type.Object({ conditions: Type.Optional(Conditions), last: Type.Optional(Condition) });
const Site = defineKind({ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced", status });
const ready = {
  ...{ type: "Ready", status: "True", lastTransitionTime: "2026-11-23T12:00:00Z", reason: "Done", message: "" },
} as const;
const parsed = (condition: object) =>
  Site.parse({ metadata: { name: "x", namespace: "y" }, status: { conditions: [condition] } });

it("types the conditions of a kind's status, to defineKind and to typebox", () => {
  const site = parsed(ready);
  expectTypeOf(site.status?.conditions).toEqualTypeOf<Condition[] | undefined>();
  expectTypeOf<Static<typeof status>["conditions"]>().toEqualTypeOf<Condition[] | undefined>();
  const conditions = site.status?.conditions ?? [];
  expect(setCondition(conditions, { ...ready, status: "False" }, "2026-11-23T13:00:00Z")).toBe(true);
  expect(conditions).toEqual([{ ...ready, status: "False" }]);
});

it("is unchanged in a definition: a list with one item of each type", () => {
  const { conditions, last } = toStructuralSchema(status).properties ?? {};
  expect({ conditions, last }).toEqual({ conditions: Conditions, last: Condition });
  expect(conditions).toMatchObject({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });
});

it.each<[string, object, string | undefined]>([
  ["the longest type", { type: `example.com/${"x".repeat(304)}` }, undefined],
  ["one that is longer", { type: `example.com/${"x".repeat(305)}` }, "type: Too long: may not be more than 316"],
  ["a type with a space", { type: "not so" }, "type: Invalid value"],
  ["a type with a bad domain", { type: "Example.com/Ready" }, "type: Invalid value"],
  ["another status", { status: "Maybe" }, 'status: Unsupported value: "Maybe"'],
  ["a time that is not valid", { lastTransitionTime: "today" }, "lastTransitionTime: Invalid value"],
  ["a reason with a space", { reason: "not yet" }, "reason: Invalid value"],
  ["no reason", { reason: "" }, "reason: Invalid value"],
  ["the longest reason", { reason: "x".repeat(1_024) }, undefined],
  ["one that is longer", { reason: "x".repeat(1_025) }, "reason: Too long: may not be more than 1024"],
  ["the longest message", { message: "x".repeat(32_768) }, undefined],
  ["one that is longer", { message: "x".repeat(32_769) }, "message: Too long: may not be more than 32768"],
  ["a generation below 0", { observedGeneration: -1 }, "observedGeneration: Invalid value: -1"],
  ["no message", { message: undefined }, "message: Required value"],
])("has upstream's bounds: %s", (_what, change, problem) => {
  const condition = JSON.parse(JSON.stringify({ ...ready, ...change }));
  if (problem === undefined) expect(parsed(condition).status?.conditions).toEqual([condition]);
  else expect(() => parsed(condition)).toThrow(`status.conditions[0].${problem}`);
});
