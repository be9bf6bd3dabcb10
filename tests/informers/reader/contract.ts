import {
  type DeepReadonly,
  exactInteger,
  isNotFound,
  isStatusError,
  type KubeObject,
  keyOf,
  labelSelectorFrom,
  metadataOnly,
  mutableCopy,
  type Stored,
  stringifyJson,
  unstructured,
} from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { ConfigMap, Namespace, Pod } from "@kubewright/client/kinds";
import { describe, expect, expectTypeOf, it } from "vitest";
import { names, Site } from "./objects.ts";

const missing = async (reading: Promise<unknown>): Promise<object> => {
  const error: unknown = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isStatusError(error) || !isNotFound(error)) throw new Error("expected NotFound", { cause: error });
  return error.status;
};

/** Returns the sorted keys of a list, because lists need not be sorted. */
const keysOf = (objects: readonly DeepReadonly<KubeObject>[]): string[] =>
  objects.map((object) => keyOf(object)).sort();

/** The contract of every {@link Reader}, wherever it reads from. Uses the objects created by `fill`. */
export function readerContract(reader: () => Reader): void {
  describe("get", () => {
    it("returns the object, for either form of a key", async () => {
      const box = await reader().get(ConfigMap, "web/box-1");
      expect(box).toMatchObject({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "box-1", namespace: "web", uid: expect.any(String), resourceVersion: expect.any(String) },
        data: { colour: "blue" },
      });
      expect((await reader().get(ConfigMap, { namespace: "web", name: "box-1" })).metadata.uid).toBe(box.metadata.uid);
      expect((await reader().get(Namespace, "web")).metadata.name).toBe("web");
    });

    it("fails with NotFound in the server's words", async () => {
      expect(await missing(reader().get(ConfigMap, "web/none"))).toMatchObject({
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason: "NotFound",
        code: 404,
        message: 'configmaps "none" not found',
        details: { kind: "configmaps", name: "none" },
      });
      expect(await missing(reader().get(Site, "web/none"))).toMatchObject({
        message: 'sites.shop.example.com "none" not found',
        details: { group: "shop.example.com", kind: "sites", name: "none" },
      });
      expect(await missing(reader().get(ConfigMap, "elsewhere/box-1"))).toMatchObject({ reason: "NotFound" });
      expect(await missing(reader().get(Namespace, "none"))).toMatchObject({ message: 'namespaces "none" not found' });
    });

    it("finds an object of a custom kind with and without its type, and keeps unknown fields", async () => {
      const bareKind = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
      for (const site of [await reader().get(Site, "web/north"), await reader().get(bareKind, "web/north")]) {
        expect(site).toMatchObject({ kind: "Site", spec: { shelves: 7, serial: 9_007_199_254_740_992 } });
        expect(exactInteger(Object(site.spec), "serial")).toBe(9_007_199_254_740_993n);
        expect(stringifyJson(site)).toContain('"serial":9007199254740993');
      }
    });

    it("returns read-only types, and objects whose changes nobody else can see", async () => {
      const box = await reader().get(ConfigMap, "web/box-1");
      expectTypeOf(box).toEqualTypeOf<Stored<DeepReadonly<ConfigMap>>>();
      const copy = mutableCopy(box);
      copy.data = { colour: "red" };
      expect((await reader().get(ConfigMap, "web/box-1")).data).toEqual({ colour: "blue" });
      expect(structuredClone(box)).toEqual(box);
      expect(JSON.parse(JSON.stringify(box))).toEqual(box);
    });
  });

  describe("list", () => {
    it("returns all objects, each with its type, and a version", async () => {
      const boxes = await reader().list(ConfigMap);
      const ours = boxes.filter(({ metadata }) => ["web", "db"].includes(metadata.namespace ?? ""));
      expect(keysOf(ours)).toEqual(["db/box-1", "db/box-2", "web/box-1", "web/box-2", "web/box-3"]);
      expect(boxes.every(({ apiVersion, kind }) => apiVersion === "v1" && kind === "ConfigMap")).toBe(true);
      expect(boxes.metadata.resourceVersion).toMatch(/^\d+$/);
    });

    it.each([
      [{ namespace: "web" }, ["web/box-1", "web/box-2", "web/box-3"]],
      [{ namespace: "none" }, []],
      [{ namespace: "web", labels: { half: "odd" } }, ["web/box-1", "web/box-3"]],
      [{ labels: { half: "odd", app: names.app } }, ["db/box-1", "web/box-1", "web/box-3"]],
      [{ labels: `app=${names.app},half in (even,none)` }, ["db/box-2", "web/box-2"]],
      [{ namespace: "web", labels: "half!=odd,app" }, ["web/box-2"]],
      [{ namespace: "web", labels: "!half" }, []],
      [{ namespace: "db", labels: "" }, ["db/box-1", "db/box-2"]],
      [
        {
          labels: labelSelectorFrom({ matchExpressions: [{ key: "half", operator: "NotIn", values: ["odd"] }] }),
          namespace: "db",
        },
        ["db/box-2"],
      ],
      [{ fields: { "metadata.name": "box-2" } }, ["db/box-2", "web/box-2"]],
      [{ fields: "metadata.namespace=db" }, ["db/box-1", "db/box-2"]],
      [{ namespace: "web", fields: "metadata.name=box-1,metadata.namespace=web" }, ["web/box-1"]],
      [{ namespace: "web", fields: { "metadata.name": "box-1" }, labels: { half: "even" } }, []],
    ])("selects by %j", async (options, keys) => {
      expect(keysOf(await reader().list(ConfigMap, options))).toEqual(keys);
    });

    it("indicates that a limit left objects out", async () => {
      const listed = async (limit: number): Promise<[number, boolean]> => {
        const list = await reader().list(ConfigMap, { namespace: "web", limit });
        return [list.length, Boolean(list.metadata.continue)];
      };
      expect(await listed(2)).toEqual([2, true]);
      expect(await listed(3)).toEqual([3, false]);
    });

    it("selects by a field of the kind", async () => {
      const onNode = { fields: { "spec.nodeName": "node-1" } };
      expect(keysOf(await reader().list(Pod, onNode))).toEqual(["db/pod-1", "web/pod-1"]);
      expect(keysOf(await reader().list(Pod, { ...onNode, namespace: "db" }))).toEqual(["db/pod-1"]);
    });

    it.each([
      ["a=b=c", "found '=', expected: ',' or 'end of string'"],
      ["a in b", "found 'b' expected: '('"],
      ["half in (odd", "found '', expected: ',' or ')'"],
      ["-a=b", "name part must consist of alphanumeric characters"],
    ])("refuses the label selector %s in the server's words", async (labels, words) => {
      await expect(reader().list(ConfigMap, { labels })).rejects.toThrow(words);
    });

    it.each(["metadata.name", "metadata.name>1"])("refuses the field selector %s", async (fields) => {
      await expect(reader().list(ConfigMap, { fields })).rejects.toThrow("invalid selector");
    });
  });

  describe("metadata alone", () => {
    const boxes = metadataOnly(ConfigMap);

    it("is all that is read of a metadata-only kind", async () => {
      const box = await reader().get(boxes, "web/box-1");
      expect(Object.keys(box).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(box).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { labels: { half: "odd" } } });
      const listed = await reader().list(boxes, { namespace: "web", labels: { half: "odd" } });
      expect(keysOf(listed)).toEqual(["web/box-1", "web/box-3"]);
      expect(listed.find(({ metadata }) => metadata.name === "box-1")).toEqual(box);
    });

    it("is not found if the object itself is not", async () => {
      expect(await missing(reader().get(boxes, "web/none"))).toMatchObject({ message: 'configmaps "none" not found' });
    });
  });

  it("rejects with the reason of a signal that has aborted", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(reader().get(ConfigMap, "web/box-1", { signal })).rejects.toThrow("enough");
    await expect(reader().list(ConfigMap, { signal })).rejects.toThrow("enough");
  });
}
