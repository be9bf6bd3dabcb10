import type { KubeObject, Unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import { servedVersions } from "./served-versions.ts";

const definition: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gizmos.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "gizmos", singular: "gizmo", kind: "Gizmo", listKind: "GizmoList", shortNames: ["gz"] },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: { type: "object" } },
      },
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.sel",
          },
        },
        additionalPrinterColumns: [
          { name: "Color", type: "string", jsonPath: ".spec.color" },
          { name: "Since", type: "date", jsonPath: ".spec.since" },
          { name: "N", type: "integer", jsonPath: ".spec.replicas", priority: 1 },
        ],
        selectableFields: [{ jsonPath: ".spec.color" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  color: { type: "string", default: "red" },
                  since: { type: "string" },
                  replicas: { type: "integer" },
                },
              },
            },
          },
        },
      },
      { name: "v2", served: false, storage: false },
    ],
  },
};
const gizmo: KubeObject & { spec: object } = {
  apiVersion: "example.com/v1",
  kind: "Gizmo",
  metadata: { name: "g" },
  spec: { color: "green", since: "2030-01-01T00:00:00Z", replicas: 2 },
};

it("serves each served version, the preferred one first", () => {
  const resources = servedVersions(definition);
  expect(resources.map(({ version }) => version)).toEqual(["v1", "v1alpha1"]);
  const [v1, alpha] = resources;
  expect(v1).toMatchObject({
    resource: "gizmos",
    origin: "custom",
    storagePrefix: "/example.com/gizmos/",
    shortNames: ["gz"],
    verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
  });
  expect(v1?.subresources.map(({ name, kind }) => [name, kind.kind])).toEqual([
    ["status", "Gizmo"],
    ["scale", "Scale"],
  ]);
  expect(alpha?.deprecationWarning).toBe("example.com/v1alpha1 Gizmo is deprecated; use example.com/v1 Gizmo");
});

it("makes columns, selectable fields and scale paths from the definition", () => {
  const strategy = servedVersions(definition)[0]?.strategy;
  const nowMs = Date.parse("2030-01-01T00:05:00Z");
  expect(strategy?.columns?.map((column) => [column.name, column.cell(gizmo, nowMs)])).toEqual([
    ["Name", "g"],
    ["Color", "green"],
    ["Since", "5m"],
    ["N", 2],
  ]);
  expect(strategy?.selectableFields?.["spec.color"]?.(gizmo)).toBe("green");
  expect(strategy?.scale).toMatchObject({ specReplicas: ["spec", "replicas"], statusReplicas: ["status", "replicas"] });
  expect(strategy?.hasStatus).toBe(true);
});

it("converts by version alone, prunes by the version's schema and defaults", async () => {
  const [v1, alpha] = servedVersions(definition);
  const stored: Unstructured = { ...gizmo, spec: { extra: 1 } };
  expect((await v1?.converter?.toServed([stored]))?.[0]).toMatchObject({ spec: { color: "red" } });
  const older = (await alpha?.converter?.toServed([stored]))?.[0];
  expect(older).toEqual({ apiVersion: "example.com/v1alpha1", kind: "Gizmo", metadata: { name: "g" } });
  expect(await alpha?.converter?.toStored({ ...stored, apiVersion: "example.com/v1alpha1" })).toMatchObject({
    apiVersion: "example.com/v1",
  });
});

it("refuses creates while the definition is terminating", () => {
  const metadata = { ...definition.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" };
  expect(servedVersions({ ...definition, metadata })[0]?.createRefusal).toBe(
    "create not allowed while custom resource definition is terminating",
  );
});
