import { defineKind, typedSchema } from "@kubewright/apimachinery";

interface SiteSpec {
  image?: string;
  replicas?: number;
  tags?: string[];
}

export const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: typedSchema<SiteSpec>({
    type: "object",
    properties: {
      image: { type: "string" },
      replicas: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
    },
  }),
});

export const siteObject = (spec: Readonly<Record<string, unknown>> = {}, metadata = {}) => ({
  apiVersion: "shop.example.com/v1",
  kind: "Site",
  metadata: { name: "north", namespace: "shop", ...metadata },
  spec,
});
