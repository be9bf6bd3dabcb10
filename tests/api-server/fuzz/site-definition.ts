/** A CRD whose schema uses every feature. */
export const siteDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "sites", kind: "Site" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 0 },
                  when: { type: "string", format: "date-time" },
                  color: { type: "string", enum: ["red", "green"], default: "red" },
                  tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                  parts: {
                    type: "array",
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, value: { "x-kubernetes-int-or-string": true } },
                    },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                  },
                },
                "x-kubernetes-validations": [{ rule: "!has(self.size) || self.size < 100", message: "too large" }],
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};
