import { servedVersions } from "@kubewright/apiextensions";
import { swaggerDocument } from "@kubewright/apiserver/endpoints";
import type { ServedResource } from "@kubewright/apiserver/registry";
import { builtinCatalogue, builtinSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";

const builtin = (wanted: string): ServedResource[] =>
  builtinCatalogue
    .filter(({ group }) => group === wanted)
    .flatMap((entry) => {
      const schema = builtinSchema(entry);
      return schema ? [{ ...entry, origin: "builtin" as const, strategy: {}, schema, storagePrefix: "" }] : [];
    });

const custom = (schema: object): readonly ServedResource[] =>
  servedVersions({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", listKind: "WidgetList" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", ...schema } } },
      ],
    },
  });

const documentOf = (schema: object) =>
  swaggerDocument([{ group: "example.com", versions: [{ version: "v1", resources: custom(schema) }] }]) as {
    definitions: Record<string, { properties?: Record<string, unknown>; required?: string[] }>;
  };

describe("the OpenAPI v2 document", () => {
  it("refers only to existing definitions and parameters", () => {
    const document = swaggerDocument([{ group: "apps", versions: [{ version: "v1", resources: builtin("apps") }] }]);
    const text = JSON.stringify(document);
    const { definitions, parameters } = document as { definitions: object; parameters: object };
    const names = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = ""]) => name);
    expect(names(/"#\/definitions\/([^"]+)"/g).filter((name) => !(name in definitions))).toEqual([]);
    expect(names(/"#\/parameters\/([^"]+)"/g).filter((name) => !(name in parameters))).toEqual([]);
  });

  it("lists at each operation the parameters that kubectl needs", () => {
    const document = swaggerDocument([{ group: "apps", versions: [{ version: "v1", resources: builtin("apps") }] }]);
    expect(document).toMatchObject({
      paths: {
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}": {
          patch: {
            operationId: "patchAppsV1NamespacedDeployment",
            parameters: expect.arrayContaining([
              { uniqueItems: true, type: "string", name: "fieldValidation", in: "query" },
              { uniqueItems: true, type: "string", name: "dryRun", in: "query" },
            ]),
          },
        },
      },
    });
  });

  it("omits parts of a definition's schema that v2 cannot express", () => {
    const { definitions } = documentOf({
      required: ["color", "maybe"],
      properties: {
        color: { type: "string", default: "red" },
        maybe: { type: "string", nullable: true },
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } } },
        choice: { type: "object", oneOf: [{ required: ["a"] }] },
      },
    });
    expect(definitions["com.example.v1.Widget"]).toMatchObject({
      required: ["color"],
      properties: {
        color: { type: "string" },
        maybe: {},
        open: { "x-kubernetes-preserve-unknown-fields": true },
        choice: { type: "object" },
        metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
      },
    });
    expect(definitions["com.example.v1.Widget"]?.properties?.open).not.toHaveProperty("type");
    expect(definitions["com.example.v1.Widget"]?.properties?.color).not.toHaveProperty("default");
  });

  it("has no properties for a kind with arbitrary fields", () => {
    const { definitions } = documentOf({ "x-kubernetes-preserve-unknown-fields": true });
    expect(definitions["com.example.v1.Widget"]).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
    });
  });
});
