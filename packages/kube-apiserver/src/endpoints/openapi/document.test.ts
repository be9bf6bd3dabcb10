import { servedVersions } from "@kubewright/apiextensions";
import { openApiDocument } from "@kubewright/apiserver/endpoints";
import type { ServedResource } from "@kubewright/apiserver/registry";
import { builtinCatalogue, builtinSchema } from "@kubewright/codec/schema";
import { expect, it } from "vitest";

const appsV1: ServedResource[] = builtinCatalogue
  .filter(({ group }) => group === "apps")
  .flatMap((entry) => {
    const schema = builtinSchema(entry);
    return schema ? [{ ...entry, origin: "builtin" as const, strategy: {}, schema, storagePrefix: "" }] : [];
  });

it("contains everything that kubectl needs before an apply", () => {
  const document = openApiDocument({ group: "apps", version: "v1" }, appsV1);
  expect(document).toMatchObject({
    paths: {
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}": {
        patch: {
          "x-kubernetes-action": "patch",
          "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
          parameters: expect.arrayContaining([expect.objectContaining({ name: "fieldValidation", in: "query" })]),
        },
      },
    },
    components: {
      schemas: {
        "io.k8s.api.apps.v1.Deployment": {
          "x-kubernetes-group-version-kind": [{ group: "apps", kind: "Deployment", version: "v1" }],
        },
        "io.k8s.api.core.v1.PodSpec": {
          required: ["containers"],
          properties: {
            containers: {
              type: "array",
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name"],
              "x-kubernetes-patch-strategy": "merge",
              "x-kubernetes-patch-merge-key": "name",
            },
          },
        },
      },
    },
  });
});

it("refers only to existing schemas", () => {
  const text = JSON.stringify(openApiDocument({ group: "apps", version: "v1" }, appsV1));
  const document = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
  const referred = new Set([...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map((match) => match[1] ?? ""));
  expect([...referred].filter((name) => !(name in document.components.schemas))).toEqual([]);
});

it("publishes the schema of a definition unchanged", () => {
  const resources = servedVersions({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "A widget.",
              properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          },
        },
      ],
    },
  });
  expect(openApiDocument({ group: "example.com", version: "v1" }, resources)).toMatchObject({
    paths: { "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}": { patch: {} } },
    components: {
      schemas: {
        "com.example.v1.Widget": {
          description: "A widget.",
          properties: {
            spec: { "x-kubernetes-preserve-unknown-fields": true },
            metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
          },
          "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
        },
      },
    },
  });
});
