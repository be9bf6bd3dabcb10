import { describe, expect, it } from "vitest";
import { entryOfAggregated, entryOfLegacy } from "./version-entry.ts";

const list = (items: unknown) => ({ kind: "APIGroupDiscoveryList", items });
const kind = { group: "", version: "", kind: "" };

describe("aggregated discovery", () => {
  it.each([[undefined], [[]], [{ kind: "Status" }], [{ kind: "APIGroupDiscoveryList", items: {} }]])(
    "rejects the document %j",
    (document) => {
      expect(() => entryOfAggregated(document, "g", "v1")).toThrow("the response is not an APIGroupDiscoveryList");
    },
  );

  it("of a version contains its resources, within limits", () => {
    const many = Array.from({ length: 5_000 }, (_, i) => ({ resource: `r${i}` }));
    const items = [
      null,
      7,
      { metadata: { name: "g" }, versions: [{ version: "v2" }, { version: "v1", resources: many }] },
    ];
    expect(entryOfAggregated(list(items), "g", "v1")).toMatchObject({ version: "v1", resources: { length: 1_000 } });
    expect(entryOfAggregated(list(items), "g", "v3")).toBeUndefined();
    expect(entryOfAggregated(list(undefined), "g", "v1")).toBeUndefined();
  });
});

it("the older form lists subresources among resources", () => {
  const resources = [
    { name: "as", singularName: "a", namespaced: true, kind: "A", verbs: ["get"], shortNames: ["x"], group: "h" },
    { name: "as/scale", kind: "Scale", group: "autoscaling", version: "v1", verbs: ["get"] },
    { name: "bs" },
    { name: 7 },
  ];
  const entry = entryOfLegacy({ kind: "APIResourceList", resources }, "v1");
  expect(entry.resources).toEqual([
    {
      resource: "as",
      responseKind: { group: "h", version: "", kind: "A" },
      scope: "Namespaced",
      singularResource: "a",
      verbs: ["get"],
      shortNames: ["x"],
      subresources: [
        { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" }, verbs: ["get"] },
      ],
    },
    { resource: "bs", responseKind: kind, scope: "Cluster", singularResource: "", verbs: [] },
  ]);
  expect(() => entryOfLegacy({ kind: "Status" }, "v1")).toThrow("the response is not an APIResourceList");
});
