import { inDefault, type Template } from "./template.ts";

const schema = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string", pattern: "^a", minLength: 1, maxLength: 9, default: "a", description: "d" },
        n: { type: "integer", format: "int32", minimum: 1, maximum: 9, exclusiveMaximum: true, multipleOf: 2 },
        l: { type: "array", items: { type: "string", enum: ["x", "y"] }, maxItems: 3, "x-kubernetes-list-type": "set" },
        m: { type: "object", additionalProperties: { type: "number", nullable: true }, maxProperties: 3 },
        i: { "x-kubernetes-int-or-string": true },
        o: {
          oneOf: [{ required: ["a"] }, { required: ["b"] }],
          type: "object",
          properties: { a: { type: "string" }, b: { type: "string" } },
        },
      },
      "x-kubernetes-validations": [
        { rule: "self.a.startsWith('a')", message: "m", reason: "FieldValueInvalid", fieldPath: ".a" },
      ],
    },
    status: { type: "object", properties: { r: { type: "integer" }, s: { type: "string" } } },
  },
};

export const customTemplates: readonly Template[] = [
  {
    collection: inDefault("/apis/example.com/v1", "sites"),
    object: {
      apiVersion: "example.com/v1",
      kind: "Site",
      metadata: { name: "site", labels: { a: "b" }, annotations: { "x.y/z": "1" } },
      spec: {
        size: 3,
        tags: ["a", "b"],
        when: "2026-01-01T00:00:00Z",
        color: "red",
        parts: [
          { name: "p", value: 1 },
          { name: "q", value: "1" },
        ],
      },
    },
    status: { size: 3, anything: ["x"] },
  },
  {
    collection: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    object: {
      metadata: { name: "things.example.org" },
      spec: {
        group: "example.org",
        scope: "Namespaced",
        names: {
          plural: "things",
          singular: "thing",
          kind: "Thing",
          listKind: "ThingList",
          shortNames: ["th"],
          categories: ["all"],
        },
        conversion: { strategy: "None" },
        preserveUnknownFields: false,
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: schema },
            subresources: {
              status: {},
              scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.r", labelSelectorPath: ".status.s" },
            },
            additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a", priority: 1, format: "byte" }],
            selectableFields: [{ jsonPath: ".spec.a" }],
          },
          {
            name: "v1beta1",
            served: true,
            storage: false,
            deprecated: true,
            deprecationWarning: "w",
            schema: { openAPIV3Schema: { ...schema, description: "old" } },
          },
        ],
      },
    },
  },
];
