import type { Definition } from "../source/definition.ts";

const text = (description: string) => ({ type: "string", description }) as const;

/** A CRD, in the style of controller-gen, that uses all the unusual features. */
export const sample: Definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: "shops.example.com",
    annotations: { "controller-gen.kubebuilder.io/version": "v0.18.0" },
  },
  spec: {
    group: "example.com",
    names: { plural: "shops", singular: "shop", kind: "Shop", listKind: "ShopList", shortNames: ["sh"] },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "Ready", type: "string", jsonPath: ".status.phase" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "Shop sells things.",
            required: ["spec"],
            properties: {
              apiVersion: text("APIVersion defines the versioned schema of this representation of an object."),
              kind: text("Kind is a string value."),
              metadata: { type: "object" },
              spec: {
                type: "object",
                description: "What is wanted.",
                required: ["ports", "foo-bar", "protocol"],
                properties: {
                  "foo-bar": { type: "object", properties: { a: { type: "string" } } },
                  fooBar: { type: "object", properties: { b: { type: "boolean", nullable: true } } },
                  schedule: text("Such as */5 * * * *"),
                  class: { type: "string", enum: ["big", "small"], default: "small" },
                  protocol: { type: "string", default: "TCP" },
                  ports: {
                    type: "array",
                    items: {
                      type: "object",
                      required: ["port"],
                      properties: { port: { "x-kubernetes-int-or-string": true }, name: { type: "string" } },
                    },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port"],
                  },
                  levels: { type: "array", items: { type: "integer", enum: [1, 2, 3] } },
                  labels: { type: "object", additionalProperties: { type: "string" } },
                  values: { "x-kubernetes-preserve-unknown-fields": true },
                  open: {
                    type: "object",
                    properties: { known: { type: "integer" } },
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                  template: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                  none: { type: "object" },
                },
                "x-kubernetes-validations": [{ rule: "self.protocol != ''", message: "must not be empty" }],
              },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};
