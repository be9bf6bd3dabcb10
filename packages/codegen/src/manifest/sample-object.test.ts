import { judgeObjects } from "@kubewright/apiextensions";
import { definedBy, type StructuralSchema } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { sampleObject } from "./sample-object.ts";

const text = { type: "string" } as const;

/** Returns the spec of a sample and its errors, and the number of objects that were judged. */
function sampled(schema: StructuralSchema, whole: StructuralSchema = {}) {
  const openAPIV3Schema = {
    type: "object",
    required: ["spec"],
    properties: { spec: { type: "object", ...schema } },
    ...whole,
  };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "routes.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Route", plural: "routes" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
  const judge = judgeObjects(crd, "v1");
  let judged = 0;
  const { object, errors } = sampleObject(definedBy(crd), (one) => {
    judged++;
    return judge(one);
  });
  return {
    spec: (object as { spec?: unknown }).spec,
    errors: errors.map(({ field, detail }) => `${field}: ${detail}`),
    judged,
  };
}

const rule = (...rules: string[]) => rules.map((one) => ({ rule: one }));

describe("a sample object", () => {
  it.each<[string, StructuralSchema, unknown]>([
    [
      "a choice between fields",
      {
        properties: { wasm: text, lua: text },
        "x-kubernetes-validations": rule("(has(self.wasm) ? 1 : 0) + (has(self.lua) ? 1 : 0) == 1"),
      },
      { wasm: "example" },
    ],
    [
      "a field that another field requires",
      {
        required: ["kind"],
        properties: { kind: { ...text, default: "Service" }, port: { type: "integer" } },
        "x-kubernetes-validations": rule("self.kind == 'Service' ? has(self.port) : true"),
      },
      { kind: "Service", port: 1 },
    ],
    [
      "a value that the rule contains",
      { required: ["mode"], properties: { mode: text }, "x-kubernetes-validations": rule("self.mode == 'big'") },
      { mode: "big" },
    ],
    [
      "a number next to the one that the rule contains",
      { required: ["a"], properties: { a: { type: "integer" } }, "x-kubernetes-validations": rule("self.a > 1024") },
      { a: 1025 },
    ],
    [
      "a rule of the field itself",
      {
        required: ["a"],
        properties: { a: { ...text, pattern: "^[^/]*$", "x-kubernetes-validations": rule("self != ''") } },
      },
      { a: "example" },
    ],
    [
      "an item in a list",
      {
        required: ["a"],
        properties: { a: { type: "array", items: { type: "object", required: ["b"], properties: { b: text } } } },
        "x-kubernetes-validations": rule("self.a.size() > 0"),
      },
      { a: [{ b: "example" }] },
    ],
    [
      "a rule of a field that was added for another rule",
      {
        properties: {
          a: {
            type: "object",
            properties: { b: { type: "boolean" } },
            "x-kubernetes-validations": rule("has(self.b)"),
          },
        },
        "x-kubernetes-validations": rule("has(self.a)"),
      },
      { a: { b: false } },
    ],
    [
      "a rule in the items of a list",
      {
        required: ["a"],
        properties: {
          a: {
            type: "array",
            minItems: 1,
            items: { type: "object", properties: { b: text }, "x-kubernetes-validations": rule("has(self.b)") },
          },
        },
      },
      { a: [{ b: "example" }] },
    ],
  ])("solves %s", (_what, schema, spec) => {
    expect(sampled(schema)).toMatchObject({ spec, errors: [] });
  });

  it("solves rules of the whole object, which may require the spec", () => {
    const spec = { type: "object", properties: { a: text } } as const;
    const whole = {
      properties: { spec, specs: text },
      required: [],
      "x-kubernetes-validations": rule("has(self.spec)"),
    };
    expect(sampled({}, whole)).toMatchObject({ spec: {}, errors: [] });
  });

  it("keeps errors that it cannot solve, after a bounded number of attempts", () => {
    const names = Array.from({ length: 500 }, (_, i) => `field${i}`);
    const hard = sampled({
      properties: Object.fromEntries(names.map((name) => [name, text])),
      "x-kubernetes-validations": rule(
        `${names
          .slice(0, 9)
          .map((name) => `has(self.${name})`)
          .join(" && ")} && size(self.${names.at(-1)}) == 77`,
      ),
    });
    expect(hard.errors).toHaveLength(1);
    expect(hard.judged).toBeLessThan(300);
    expect(sampled({ required: ["a"], properties: { a: { ...text, pattern: "^[xyz]{9}$" } } })).toEqual({
      spec: { a: "" },
      errors: ["spec.a: spec.a in body should match '^[xyz]{9}$'"],
      judged: 1,
    });
  });
});
