import type { Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { checkSelectors, parseSelection, predicateOf } from "./predicate.ts";
import type { KindStrategy } from "./strategy.ts";
import { thingResource } from "./testing/thing-resource.ts";

const strategy = {
  selectableFields: { "status.phase": ({ status }: Unstructured) => String(status ?? "") },
} as KindStrategy;
const resource = thingResource(strategy);
const object = (name: string, status?: string, app = "web"): Unstructured => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name, namespace: "n", labels: { app } },
  ...(status && { status }),
});
const matches = (labels: string, fields: string, one: Unstructured): boolean =>
  predicateOf(parseSelection(labels, fields, resource), strategy).matches(one);

describe("a selection", () => {
  it.each([
    ["", "", true],
    ["app=web", "", true],
    ["app=db", "", false],
    ["", "metadata.name=a", true],
    ["", "metadata.name=b", false],
    ["", "metadata.namespace=n", true],
    ["", "metadata.namespace!=n", false],
    ["", "status.phase=Running", true],
    ["", "status.phase=Pending", false],
    ["app=web", "status.phase=Pending", false],
    ["app=db", "status.phase=Running", false],
  ])("of labels %j and fields %j", (labels, fields, expected) => {
    expect(matches(labels, fields, object("a", "Running"))).toBe(expected);
  });

  it("reads nothing where the object has no value, or no namespace", () => {
    const absent = { selectableFields: { "spec.x": () => undefined } } as unknown as KindStrategy;
    const selects = (fields: string): boolean =>
      predicateOf(parseSelection("", fields, thingResource(absent)), absent).matches({
        ...object("a"),
        metadata: { name: "a" },
      });
    expect([selects("spec.x="), selects("spec.x=undefined"), selects("metadata.namespace=")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("is empty where neither is given", () => {
    expect(predicateOf(parseSelection(undefined, undefined, resource), strategy).isEmpty).toBe(true);
    expect(predicateOf(parseSelection("app=web", "", resource), strategy).isEmpty).toBe(false);
    expect(predicateOf(parseSelection("", "metadata.name=a", resource), strategy).isEmpty).toBe(false);
  });

  it("has a name only if a field equals it", () => {
    const name = (fields: string) => parseSelection("", fields, resource).name;
    expect([name("metadata.name=a"), name("metadata.name!=a"), name("status.phase=a"), name("")]).toEqual([
      "a",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("reads fields of the served form, and labels of the stored one", () => {
    const selection = parseSelection("app=web", "status.phase=New", resource);
    expect(predicateOf(selection, strategy, (one) => ({ ...one, status: "New" })).matches(object("a", "Old"))).toBe(
      true,
    );
  });

  it("rejects unknown fields with the kind's message", () => {
    const refused = (fields: string, of: Parameters<typeof parseSelection>[2]) => () => parseSelection("", fields, of);
    const plain = thingResource();
    expect(refused("spec.x=1", resource)).toThrow("field label not supported: spec.x");
    expect(refused("spec.x=1", plain)).toThrow(
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    expect(refused("toString=1", plain)).toThrow("not a known field selector");
    expect(refused("spec.x=1", { ...plain, origin: "custom" })).toThrow("field label not supported: spec.x");
    const own = thingResource({ unknownFieldLabel: (field) => `no ${field}` } as KindStrategy);
    expect(refused("spec.x=1", own)).toThrow("no spec.x");
    expect(refused("metadata.namespace=n", { ...resource, scope: "Cluster" })).toThrow("field label not supported");
    expect(refused("metadata.namespace=n", { ...plain, scope: "Cluster" })).not.toThrow();
  });

  it("rejects unreadable selectors", () => {
    expect(() => checkSelectors("a in", "")).toThrow();
    expect(() => checkSelectors("", "a")).toThrow();
    expect(() => checkSelectors("", "")).not.toThrow();
    expect(() => checkSelectors("a=b", "spec.any=c")).not.toThrow();
  });
});
