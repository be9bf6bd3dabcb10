import { parseJson, type Unstructured } from "@kubewright/apimachinery";
import { freezeTree } from "@kubewright/storage";
import { describe, expect, it } from "vitest";
import type { ServedResource } from "../../registry/resource.ts";
import { ListBody } from "./list-body.ts";

const resource = (origin: "builtin" | "custom") =>
  ({ origin, group: "apps", version: "v1", kind: "Thing", listKind: "ThingList" }) as ServedResource;

const thing = (name: string, size: number): Unstructured =>
  freezeTree({ apiVersion: "apps/v1", kind: "Thing", metadata: { name }, data: { é: "x".repeat(size) } });

const metadata = { resourceVersion: "7" };

describe("ListBody", () => {
  it.each([0, 1, 2, 40])("is the JSON of a list of %i objects, on every request", (count) => {
    const items = Array.from({ length: count }, (_, index) => thing(`t${index}`, index === 3 ? 200_000 : index * 500));
    for (let round = 0; round < 3; round++) {
      const body = new ListBody(resource("builtin"), { items, metadata });
      const text = body.whole().toString();
      expect(body.length).toBe(Buffer.byteLength(text));
      expect(text.endsWith("\n")).toBe(true);
      expect(parseJson(text)).toEqual({
        kind: "ThingList",
        apiVersion: "apps/v1",
        metadata,
        items: items.map(({ apiVersion: _apiVersion, kind: _kind, ...rest }) => rest),
      });
    }
  });

  it("keeps the kind of custom resources, and removes it from objects that do not begin with it", () => {
    const items = [thing("a", 1)];
    const custom = new ListBody(resource("custom"), { items, metadata }).whole().toString();
    expect(JSON.parse(custom)).toMatchObject({ metadata: { continue: "" }, items });
    const reordered = [freezeTree({ metadata: { name: "b" }, kind: "Thing", apiVersion: "apps/v1" } as Unstructured)];
    const text = new ListBody(resource("builtin"), { items: reordered, metadata }).whole().toString();
    expect(JSON.parse(text)).toMatchObject({ items: [{ metadata: { name: "b" } }] });
    expect(text).not.toContain('"kind":"Thing"');
  });
});
