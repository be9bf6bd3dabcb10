import { judgeObjects } from "@kubewright/apiextensions";
import { definedBy, type StructuralSchema } from "@kubewright/apimachinery";
import { sampleObject } from "@kubewright/codegen";
import { describe, expect, it } from "vitest";
import { externalControllerTestText } from "./external-controller-text.ts";

const kind = {
  kind: "Route",
  name: "Route",
  clause: "Route",
  module: "../external/route.ts",
  scope: "Namespaced",
  file: "route",
} as const;

function textFor(spec: StructuralSchema): string {
  const openAPIV3Schema = {
    type: "object",
    required: ["metadata", "spec"],
    properties: { metadata: { type: "object" }, spec },
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
  return externalControllerTestText(kind, "../external/x.yaml", sampleObject(definedBy(crd), judgeObjects(crd, "v1")));
}

const word = { type: "string", pattern: "^[xyz]{9}$" } as const;

describe("the test of an external kind's controller", () => {
  it("writes an error with line ends into one comment", () => {
    const text = textFor({
      type: "object",
      required: ["a"],
      properties: { a: { ...word, pattern: "^\n | [xyz]{9}\r$" } },
    });
    expect(text.split("\n").filter((line) => line.includes("[xyz]"))).toEqual([
      expect.stringMatching(/^ +\/\/ .*should match '\^; \| \[xyz\]\{9\}; \$'$/),
    ]);
  });

  it("creates a valid sample", () => {
    const text = textFor({
      type: "object",
      required: ["to", "foo-bar"],
      properties: { to: { type: "array", minItems: 1, items: { type: "string" } }, "foo-bar": { type: "object" } },
    });
    expect(text).toContain('\nit("reconciles a new Route"');
    expect(text).toContain(`client.create(Route, {
    metadata: {
      name: "example",
      namespace: "default",
    },
    spec: {
      to: [
        "example",
      ],
      "foo-bar": {},
    },
  });`);
  });

  it("must be filled in if there is no valid sample", () => {
    const text = textFor({
      type: "object",
      required: ["word", "list", "other"],
      properties: {
        word,
        list: { type: "array", minItems: 1, items: { type: "object", required: ["word"], properties: { word } } },
        other: { type: "string" },
      },
      "x-kubernetes-validations": [{ rule: "self.other.size() == 77", message: "must be\nlong" }],
    });
    expect(text).toContain('remove ".skip".\nit.skip("reconciles a new Route"');
    expect(text).toMatch(/ spec: \{\n {6}\/\/ must be; long\n/);
    expect(text).toMatch(/\n {6}\/\/ spec\.word in body should match .*\n {6}word: "",\n/);
    expect(text).toMatch(/\n {10}\/\/ spec\.list\[0\]\.word in body should match .*\n {10}word: "",\n/);
  });
});
