import { type DescribedResource, describedResource } from "@kubewright/apimachinery";
import { ConfigMap, Pod, Secret } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { shownChanges } from "./shown-reconcile.ts";

const fieldsOf = (kind: DescribedResource, path: readonly string[], before?: unknown, after?: unknown) => {
  const values = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  return shownChanges({ fields: [{ path, ...values }], isCut: false }, kind).fields;
};
const map = describedResource(ConfigMap);
const pod = describedResource(Pod);

it("shows values as text, and paths with unusual names in brackets", () => {
  expect(fieldsOf(map, ["data", "size"], "1", "2")).toEqual([{ path: "data.size", before: "1", after: "2" }]);
  expect(fieldsOf(map, ["metadata", "annotations", "a.b/c"], undefined, "x")).toEqual([
    { path: "metadata.annotations[a.b/c]", after: "x" },
  ]);
  expect(fieldsOf(pod, ["spec", "nodeSelector"], { a: "b" })).toEqual([
    { path: "spec.nodeSelector", before: '{"a":"b"}' },
  ]);
  expect(fieldsOf(map, ["data", "a"], "x".repeat(1_000), "")[0]?.before).toHaveLength(200);
});

it("shows only the changed elements of a list", () => {
  const containers = (image: string) => [
    { name: "a", image: "a:1" },
    { name: "b", image },
  ];
  expect(fieldsOf(pod, ["spec", "containers"], containers("b:1"), containers("b:2"))).toEqual([
    { path: "spec.containers[1]", before: '{"name":"b","image":"b:1"}', after: '{"name":"b","image":"b:2"}' },
  ]);
  const many = (text: string) => Array.from({ length: 50 }, () => text);
  expect(fieldsOf(pod, ["spec", "args"], many("a"), many("b"))).toHaveLength(20);
});

it("computes the same changes only once", () => {
  const changes = { fields: [{ path: ["data", "size"], before: "1", after: "2" }], isCut: false };
  expect(shownChanges(changes, map)).toBe(shownChanges(changes, map));
});

it("hides secrets as in the object itself", () => {
  const secret = describedResource(Secret);
  const env = (value: string) => [{ name: "DB_PASS", value }];
  const all = [
    ...fieldsOf(secret, ["data", "a"], "plum1", "plum2"),
    ...fieldsOf(secret, ["data"], { a: "plum1" }, { a: "plum2" }),
    ...fieldsOf(secret, ["stringData", "a"], undefined, "plum2"),
    ...fieldsOf(map, ["data", "dbPassword"], "plum1", "plum2"),
    ...fieldsOf(map, ["data", "config.yaml"], "password: plum1", "password: plum2"),
    ...fieldsOf(pod, ["spec", "env"], env("plum1"), env("plum2")),
    ...fieldsOf(pod, ["spec", "args"], ["--token", "plum1"], ["--token", "plum2"]),
    ...fieldsOf(pod, ["metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"], "plum1", "plum2"),
    ...fieldsOf(pod, ["spec", "credentials", "name"], "plum1", "plum2"),
    ...shownChanges({ fields: [{ path: ["data", "a"], isLarge: true }], isCut: false }, map).fields,
  ];
  expect(JSON.stringify(all)).not.toMatch(/plum/);
  expect(all.map(({ path }) => path)).toEqual([
    ...["data.a", "data", "stringData.a", "data.dbPassword", "data[config.yaml]", "spec.env", "spec.args"],
    "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
    ...["spec.credentials.name", "data.a"],
  ]);
  const crd = {
    spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: { pin: { format: "password" } } } } }] },
  };
  const shop = { group: "example.com", version: "v1", kind: "Shop", plural: "shops", scope: "Namespaced", crd };
  expect(fieldsOf(shop as unknown as DescribedResource, ["pin"], "1", "2")).toEqual([
    { path: "pin", before: "(hidden)", after: "(hidden)" },
  ]);
});
