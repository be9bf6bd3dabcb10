import { expect, it } from "vitest";
import { TypeTables } from "./type-tables.ts";

const tables = new TypeTables([
  "## v1 io.v1\nPod = 1 spec:PodSpec, 2 extra:{Values}\nPodSpec = 1 gang:gangs.x-k8s.io/v1alpha3.Gang?\nValues = [string]\n",
  "## gangs.x-k8s.io/v1alpha3 io.gangs.v1alpha3\nGang = 1 pod:core.Pod?\n",
]);

it("resolves types of the same group, of the core group and of another group by its API version", () => {
  const gang = tables.find("gangs.x-k8s.io/v1alpha3", "Gang");
  const pod = tables.find("v1", "Pod");
  if (gang?.type !== "object" || pod?.type !== "object") throw new Error("not objects");
  expect(gang.fields.get("pod")?.schema).toBe(pod);
  const spec = pod.fields.get("spec")?.schema;
  expect(spec?.type === "object" && spec.fields.get("gang")?.schema).toBe(gang);
});

it("reads a list that is a message of its own", () => {
  expect(tables.find("v1", "Values")).toMatchObject({ type: "list", items: { type: "scalar" }, isWrapped: true });
});

it("has no errors if all types resolve", () => {
  expect(tables.errors()).toEqual([]);
});

it("reports each type that cannot be read or refers to a missing type", () => {
  const broken = new TypeTables([
    "## v1 io.v1\nPod = 1 spec:PodSpec\nNode = 0 !:meta.TypeMeta\nNames = [Name]\nFine = 1 x:string\n",
  ]);
  expect(broken.errors()).toEqual([
    "v1.Pod: type table: no type PodSpec for v1",
    'v1.Node: type table: cannot read "0 !:meta.TypeMeta" in v1',
    "v1.Names: type table: no type Name for v1",
  ]);
});
