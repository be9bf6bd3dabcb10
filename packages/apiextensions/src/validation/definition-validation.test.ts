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

describe("messages of kube-apiserver", () => {
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
    expect(errors({ scope: "" })).toEqual(["spec.scope: Required value"]);
    expect(errors({ scope: "Cluster" })).toEqual([]);
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

  it("reports differing schemas separately, and equal ones once", () => {
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

describe("names", () => {
  const names = { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" };
  const mixed = "may have mixed case, but should otherwise match: a DNS-1035 label";
  it.each<readonly [more: Partial<Spec["names"]>, messages: readonly (readonly [field: string, text: string])[]]>([
    [{ shortNames: ["f", "fo"], categories: ["all", "mine"] }, []],
    [
      { singular: "", listKind: "" },
      [
        ["singular", "Required value"],
        ["listKind", "Required value"],
      ],
    ],
    [{ kind: "" }, [["kind", "Required value"]]],
    [{ singular: "Foo" }, [["singular", 'Invalid value: "Foo": a DNS-1035 label']]],
    [{ kind: "Foo_" }, [["kind", `Invalid value: "Foo_": ${mixed}`]]],
    [{ listKind: "Foo.List" }, [["listKind", `Invalid value: "Foo.List": ${mixed}`]]],
    [{ listKind: "Foo" }, [["listKind", 'Invalid value: "Foo": kind and listKind may not be the same']]],
    [{ shortNames: ["f", "F"] }, [["shortNames[1]", 'Invalid value: "F": a DNS-1035 label']]],
    [{ categories: ["c", "C"] }, [["categories[1]", 'Invalid value: "C": a DNS-1035 label']]],
  ])("are checked: %j", (more, messages) => {
    expect(errors({ names: { ...names, ...more } })).toEqual(
      messages.map(([field, text]) => expect.stringContaining(`spec.names.${field}: ${text}`)),
    );
  });

  it("must contain plural and group in the name of the definition", () => {
    const wrong = 'metadata.name: Invalid value: "foos.example.org": must be spec.names.plural+"."+spec.group';
    expect(errors({ names: { ...names, plural: "" } })).toEqual([wrong, "spec.names.plural: Required value"]);
    expect(errors({ names: { ...names, plural: "Foos" } })).toEqual([
      wrong,
      expect.stringContaining('spec.names.plural: Invalid value: "Foos": a DNS-1035 label'),
    ]);
    expect(errors({ group: "" })).toEqual([wrong, "spec.group: Required value"]);
    expect(errors({ group: "Example.org" })).toEqual([
      wrong,
      expect.stringContaining('spec.group: Invalid value: "Example.org": a lowercase RFC 1123 subdomain'),
    ]);
  });
});

describe("versions", () => {
  const schema = { openAPIV3Schema: { type: "object" } };
  const version = (name: string, storage: boolean, more: Partial<DefinitionVersion> = {}): DefinitionVersion => ({
    ...{ name, served: true, storage, schema },
    ...more,
  });
  const found = (...versions: DefinitionVersion[]): string[] =>
    errors({ versions }).map((message) => message.replace(/Invalid value: \[.*\]:/, "…"));

  it("have different names, one of which is stored", () => {
    expect(found(version("v1", true), version("v2", false))).toEqual([]);
    expect(found(version("v1", true), version("v1", false))).toEqual([
      "spec.versions: … must contain unique version names",
    ]);
    const one = "spec.versions: … must have exactly one version marked as storage version";
    expect(found(version("v1", true), version("v2", true))).toEqual([
      one,
      expect.stringContaining("status.storedVersions"),
    ]);
    expect(found(version("v1", false))).toEqual([one]);
    expect(found()).toEqual([one, expect.stringContaining("status.storedVersions[0]")]);
  });

  it("are labels; a wrong first one is also reported as the version", () => {
    const label = 'Invalid value: "V": a DNS-1035 label';
    expect(found(version("v1", true), version("V", false))).toEqual([
      expect.stringContaining(`spec.versions[1].name: ${label}`),
    ]);
    expect(found(version("V", false), version("v1", true))).toEqual([
      expect.stringContaining(`spec.versions[0].name: ${label}`),
      expect.stringContaining(`spec.version: ${label}`),
    ]);
  });

  const columns = { additionalPrinterColumns: [{ name: "", type: "string", jsonPath: ".a" }] };
  const scale = { subresources: { scale: { specReplicasPath: "", statusReplicasPath: ".status.n" } } };
  const fields = { selectableFields: [{ jsonPath: "" }] };
  it.each<readonly [more: Partial<DefinitionVersion>, place: string]>([
    [columns, "additionalPrinterColumns[0].name: Required value"],
    [scale, "subresources.scale.specReplicasPath: Required value"],
    [fields, "selectableFields[0].jsonPath: Required value"],
    [{ deprecationWarning: "w" }, 'deprecationWarning: Invalid value: "w": can only be set for deprecated versions'],
  ])("are checked where they differ, and once where they do not: %j", (more, message) => {
    const isShared = more.deprecationWarning === undefined;
    expect(found(version("v1", true), version("v2", false, more))).toEqual([`spec.versions[1].${message}`]);
    expect(found(version("v1", true, more), version("v2", false, more))).toEqual(
      isShared ? [`spec.${message}`] : [0, 1].map((i) => `spec.versions[${i}].${message}`),
    );
  });
});

describe("the schema", () => {
  it("is checked step by step: defaults only if it is structural, rules only if defaults are valid", () => {
    const rules = { "x-kubernetes-validations": [{ rule: "self.x" }] };
    const badDefault: JsonSchema = { type: "string", default: 1 };
    const places = (schema: JsonSchema): string[] =>
      errors({}, { type: "object", ...schema }).map((message) => message.split(":")[0] ?? "");
    const root = "spec.validation.openAPIV3Schema";
    expect(places({ properties: { a: badDefault, b: {} }, uniqueItems: true, ...rules })).toEqual([
      ...[`${root}.properties[b].type`, `${root}.uniqueItems`],
    ]);
    expect(places({ properties: { a: badDefault }, ...rules })).toEqual([`${root}.properties[a].default`]);
    expect(places({ properties: {}, ...rules })).toEqual([`${root}.x-kubernetes-validations[0].rule`]);
    expect(places({ nullable: true })).toEqual([`${root}.nullable`]);
  });

  it("may not preserve unknown fields in the old way", () => {
    expect(errors({ preserveUnknownFields: false })).toEqual([]);
    expect(errors({ preserveUnknownFields: true })).toEqual([
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ]);
  });
});

it("checks conversion", () => {
  expect(errors({ conversion: { strategy: "" } })).toEqual(["spec.conversion.strategy: Required value"]);
});

it.each<readonly [stored: string[] | undefined, messages: readonly string[]]>([
  [undefined, ["status.storedVersions: Invalid value: null: must have at least one stored version"]],
  [[], ["status.storedVersions: Invalid value: null: must have at least one stored version"]],
  [
    ["v0"],
    [
      'status.storedVersions: Invalid value: ["v0"]: must have the storage version v1',
      expect.stringMatching(
        /^status\.storedVersions\[0\]: Invalid value: "v0": missing from spec\.versions; v0 was previously/,
      ),
    ],
  ],
  [["v1", "v0"], [expect.stringMatching(/^status\.storedVersions\[1\]: Invalid value: "v0": missing/)]],
])("checks the stored versions %j", (stored, messages) => {
  const given = { ...definition(), ...(stored ? { status: { storedVersions: stored } } : { status: {} }) };
  expect(validateDefinition(given).map(fieldErrorMessage)).toEqual(messages);
  expect(validateDefinitionUpdate(given, definition()).map(fieldErrorMessage)).toEqual(messages);
});

describe("groups of the Kubernetes community", () => {
  const approved = (group: string, value?: string): string[] => {
    const given = definition({ group });
    given.metadata = {
      name: `foos.${group}`,
      ...(value === undefined ? {} : { annotations: { "api-approved.kubernetes.io": value } }),
    };
    return validateDefinition(given).map(fieldErrorMessage);
  };
  const at = "metadata.annotations[api-approved.kubernetes.io]";
  const needs = 'protected groups must have approval annotation "api-approved.kubernetes.io"';
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";

  it.each(["k8s.io", "x.k8s.io", "kubernetes.io", "x.y.kubernetes.io"])("need an approval: %s", (group) => {
    expect(approved(group)).toEqual([`${at}: Required value: ${needs}, ${see}`]);
    expect(approved(group, "yes")).toEqual([
      `${at}: Invalid value: "yes": ${needs} with either a URL or a reason starting with "unapproved", ${see}`,
    ]);
    expect(approved(group, "unapproved, experimental")).toEqual([]);
    expect(approved(group, "https://example.com/1")).toEqual([]);
  });

  it.each(["myk8s.io", "k8s.io.example.com", "notkubernetes.io"])("do not include %s", (group) => {
    expect(approved(group)).toEqual([]);
  });

  it("need it only when they are created", () => {
    const given = definition({ group: "k8s.io" });
    expect(validateDefinitionUpdate(given, given)).toEqual([]);
  });
});

describe("an update", () => {
  const names = (more: object) => ({ names: { ...definition().spec.names, ...more } });
  const changed = (spec: Partial<Spec>, established: "True" | "False" | undefined): string[] => {
    const old = definition();
    const condition = { type: "Established", lastTransitionTime: "", reason: "", message: "" } as const;
    old.status = { storedVersions: ["v1"], conditions: established ? [{ ...condition, status: established }] : null };
    return validateDefinitionUpdate(definition(spec), old).map(fieldErrorMessage);
  };

  it.each<readonly [spec: Partial<Spec>, always: boolean, message: string]>([
    [{ scope: "Cluster" }, false, 'spec.scope: Invalid value: "Cluster": field is immutable'],
    [names({ kind: "Goo" }), false, 'spec.names.kind: Invalid value: "Goo": field is immutable'],
    [{ group: "example.com" }, true, 'spec.group: Invalid value: "example.com": field is immutable'],
    [names({ plural: "goos" }), true, 'spec.names.plural: Invalid value: "goos": field is immutable'],
  ])("may not change %j", (spec, always, message) => {
    expect(changed(spec, "True")).toEqual([message]);
    for (const state of ["False", undefined] as const) expect(changed(spec, state)).toEqual(always ? [message] : []);
  });

  it("may change other names, and is checked as a whole", () => {
    expect(changed(names({ singular: "one", shortNames: ["f"] }), "True")).toEqual([]);
    expect(changed(names({ singular: "" }), "True")).toEqual(["spec.names.singular: Required value"]);
  });

  it("may not replace readable certificates", () => {
    const conversion = (bundle: string): Spec["conversion"] => ({
      ...{ strategy: "Webhook" },
      webhook: {
        ...{ conversionReviewVersions: ["v1"] },
        clientConfig: { url: "https://example.com", caBundle: Buffer.from(bundle).toString("base64") },
      },
    });
    const old = definition({ conversion: conversion("-----BEGIN CERTIFICATE-----\n") } as Partial<Spec>);
    const errors = validateDefinitionUpdate(definition({ conversion: conversion("x") } as Partial<Spec>), old);
    expect(errors.map(({ field }) => field)).toContain("spec.conversion.webhookClientConfig.caBundle");
  });
});
