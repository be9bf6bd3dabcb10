import { cel, defineKind, withRules } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { judgeDefinition, judgeObjects } from "./judge-definition.ts";

const spec = (rule: string) =>
  withRules(Type.Object({ min: Type.Integer(), max: Type.Integer(), names: Type.Array(Type.String()) }), [
    cel(rule, { message: "no" }),
  ]);
const site = (rule: string) =>
  defineKind({ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced", spec: spec(rule) }).crd;

describe("judgeDefinition", () => {
  it("accepts what a server accepts, without changes", () => {
    const crd = site("self.min <= self.max");
    const before = structuredClone(crd);
    expect(judgeDefinition(crd)).toEqual([]);
    expect(crd).toEqual(before);
  });

  it("reports an error in a rule with its position and a caret", () => {
    const [reason = "", ...others] = judgeDefinition(site("self.mix <= self.max"));
    expect(others).toEqual([]);
    expect(reason).toContain("spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule");
    expect(reason).toContain(
      "compilation failed: ERROR: <input>:1:5: undefined field 'mix'\n | self.mix <= self.max\n | ....^",
    );
  });

  it("reports rules that cost too much", () => {
    const reasons = judgeDefinition(site("self.names.all(a, self.names.all(b, self.names.all(c, a + b + c != '')))"));
    expect(reasons.join("\n")).toContain("exceeds budget by factor of more than 100x");
  });

  it("reports non-structural schemas", () => {
    const crd = site("self.min <= self.max");
    const schema = { type: "object", properties: { spec: { anyOf: [{ type: "string" }] } } };
    const [version] = crd.spec.versions;
    const broken = { ...crd, spec: { ...crd.spec, versions: [{ ...version, schema: { openAPIV3Schema: schema } }] } };
    expect(judgeDefinition(broken)).toEqual(
      expect.arrayContaining([
        "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
      ]),
    );
  });

  it.each<[unknown, string]>([
    [undefined, "metadata.name: Invalid value"],
    [{ apiVersion: "apiextensions.k8s.io/v1beta1", kind: "CustomResourceDefinition" }, "v1beta1"],
    [{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", spec: { versions: 5 } }, "versions"],
    [
      { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", spec: { grup: "x" } },
      'unknown field "spec.grup"',
    ],
    [{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" }, "spec.group: Required value"],
  ])("reports errors in %j", (definition, reason) => {
    expect(judgeDefinition(definition).join("\n")).toContain(reason);
  });
});

describe("judgeObjects", () => {
  const of = (spec: object) => ({ apiVersion: "shop.example.com/v1", kind: "Site", metadata: { name: "a" }, spec });

  it("reports what a server reports for a new object, with the errors of rules", () => {
    const judge = judgeObjects(site("self.min <= self.max"), "v1");
    const object = of({ min: 3, max: 2, names: [] });
    expect(judge(of({ min: 1, max: 2, names: [] }))).toEqual([]);
    expect(judge(object).map(({ field, detail }) => `${field}: ${detail}`)).toEqual(["spec: no"]);
    expect(judge(of({ min: 1, max: 2 })).map(({ field }) => field)).toContain("spec.names");
  });

  it("adds defaults first, without changing the object", () => {
    const one = { ...Type.Integer({ default: 1 }), "x-kubernetes-validations": [{ rule: "self == 1" }] };
    const spec = Type.Object({ one });
    const { crd } = defineKind({ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced", spec });
    const object = of({});
    expect(judgeObjects(crd, "v1")(object)).toEqual([]);
    expect(object.spec).toEqual({});
  });

  it("requires a CRD with this version", () => {
    expect(() => judgeObjects(site("true"), "v2")).toThrow('has no version "v2"');
    expect(() => judgeObjects({ kind: "CustomResourceDefinition", spec: 1 }, "v1")).toThrow("spec");
  });
});
