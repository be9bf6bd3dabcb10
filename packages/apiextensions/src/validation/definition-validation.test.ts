import { fieldErrorMessage } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { CustomResourceDefinition, DefinitionVersion, JsonSchema } from "../definition/definition.ts";
import { validateDefinition, validateDefinitionUpdate } from "./definition-validation.ts";

type Spec = CustomResourceDefinition["spec"];

function definition(spec: Partial<Spec> = {}, schema: JsonSchema = { type: "object" }): CustomResourceDefinition {
  const version: DefinitionVersion = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.example.org" },
    spec: {
      group: "example.org",
      scope: "Namespaced",
      names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
      versions: [version],
      conversion: { strategy: "None" },
      ...spec,
    },
    status: { storedVersions: ["v1"] },
  };
}
const errors = (spec: Partial<Spec>, schema?: JsonSchema): string[] =>
  validateDefinition(definition(spec, schema)).map(fieldErrorMessage);
const ofField = (a: JsonSchema): string[] => errors({}, { type: "object", properties: { a } });
const at = "spec.validation.openAPIV3Schema.properties[a]";

it("accepts a plain definition", () => {
  expect(errors({})).toEqual([]);
});

describe("texts of kube-apiserver", () => {
  it.each<[JsonSchema, string]>([
    [{}, `${at}.type: Required value: must not be empty for specified object fields`],
    [{ type: "array" }, `${at}.items: Required value: must be specified`],
    [{ type: "string", anyOf: [{ type: "string" }] }, `${at}.anyOf[0].type: Forbidden: must be empty to be structural`],
    [
      { type: "object", properties: { x: { type: "string" } }, additionalProperties: { type: "string" } },
      `${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
    [
      { type: "string", default: 1 },
      `${at}.default: Invalid value: "integer":  in body must be of type string: "integer"`,
    ],
    [
      {
        type: "array",
        "x-kubernetes-list-type": "set",
        items: { type: "object", properties: { k: { type: "string" } } },
      },
      `${at}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
  ])("%j", (schema, text) => {
    expect(ofField(schema)).toContain(text);
  });

  it("checks names, scope, group and versions", () => {
    expect(errors({ scope: "Foo" })).toEqual([
      'spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"',
    ]);
    expect(errors({ group: "example" })).toContain(
      'spec.group: Invalid value: "example": should be a domain with at least one dot',
    );
    expect(errors({ names: { plural: "bars", singular: "foo", kind: "Foo", listKind: "Foo" } })).toEqual([
      'metadata.name: Invalid value: "foos.example.org": must be spec.names.plural+"."+spec.group',
      'spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same',
    ]);
    expect(errors({ versions: [{ name: "v1", served: true, storage: true }] })).toEqual([
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ]);
  });

  it("reports where schemas differ, and in one place where they do not", () => {
    const version = (name: string, storage: boolean, schema: JsonSchema): DefinitionVersion => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: schema },
    });
    const bad = (name: string): JsonSchema => ({ type: "object", properties: { [name]: {} } });
    expect(errors({ versions: [version("v1", true, bad("a")), version("v2", false, bad("b"))] })).toEqual([
      "spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
      "spec.versions[1].schema.openAPIV3Schema.properties[b].type: Required value: must not be empty for specified object fields",
    ]);
    expect(errors({ versions: [version("v1", true, bad("a")), version("v2", false, bad("a"))] })).toEqual([
      `${at}.type: Required value: must not be empty for specified object fields`,
    ]);
  });
});

it("does not let an established definition change its scope", () => {
  const old = definition();
  old.status = {
    storedVersions: ["v1"],
    conditions: [{ type: "Established", status: "True", lastTransitionTime: "", reason: "", message: "" }],
  };
  const changed = { ...definition({ scope: "Cluster" }), status: old.status };
  expect(validateDefinitionUpdate(changed, old).map(fieldErrorMessage)).toEqual([
    'spec.scope: Invalid value: "Cluster": field is immutable',
  ]);
});
