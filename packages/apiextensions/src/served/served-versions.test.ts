import type { KubeObject, Unstructured } from "@kubewright/apimachinery";
import { WebhookClients } from "@kubewright/apiserver/webhook";
import { systemClock } from "@kubewright/clock";
import { describe, expect, it } from "vitest";
import type { CustomResourceDefinition, JsonSchema } from "../definition/definition.ts";
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

it("returns each served version, the preferred one first", () => {
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

it("derives columns, selectable fields and scale paths from the definition", () => {
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

it("converts by changing the version, prunes with the version's schema, and sets defaults", async () => {
  const [v1, alpha] = servedVersions(definition);
  const stored: Unstructured = { ...gizmo, spec: { extra: 1 } };
  expect((await v1?.converter?.toServed([stored]))?.[0]).toMatchObject({ spec: { color: "red" } });
  const older = (await alpha?.converter?.toServed([stored]))?.[0];
  expect(older).toEqual({ apiVersion: "example.com/v1alpha1", kind: "Gizmo", metadata: { name: "g" } });
  expect(await alpha?.converter?.toStored({ ...stored, apiVersion: "example.com/v1alpha1" })).toMatchObject({
    apiVersion: "example.com/v1",
  });
});

it("rejects creates while the definition is terminating", () => {
  const metadata = { ...definition.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" };
  const condition = { lastTransitionTime: "", reason: "", message: "" };
  const having = (type: string, status: "True" | "False"): CustomResourceDefinition => ({
    ...definition,
    status: {
      conditions: [
        { ...condition, type: "Other", status: "True" },
        { ...condition, type, status },
      ],
    },
  });
  for (const terminating of [{ ...definition, metadata }, having("Terminating", "True")]) {
    const [v1] = servedVersions(terminating);
    expect(v1?.createRefusal).toBe("create not allowed while custom resource definition is terminating");
    expect(v1?.verbs).toEqual(["delete", "deletecollection", "get", "list", "watch"]);
  }
  for (const other of [definition, having("Terminating", "False"), having("Established", "True")]) {
    expect(servedVersions(other)[0]?.createRefusal).toBeUndefined();
    expect(servedVersions(other)[0]?.verbs).toContain("create");
  }
});

const withSpec = (more: Partial<CustomResourceDefinition["spec"]>, rest: Partial<CustomResourceDefinition> = {}) => ({
  ...definition,
  spec: { ...definition.spec, ...more },
  ...rest,
});

it("serves accepted names, and fills in those that are missing", () => {
  const acceptedNames = {
    plural: "things",
    singular: "one",
    kind: "Thing",
    listKind: "Things",
    shortNames: ["t"],
    categories: ["all"],
  };
  const [accepted] = servedVersions({ ...definition, status: { acceptedNames } });
  expect(accepted).toMatchObject({
    ...{
      resource: "things",
      singular: "one",
      kind: "Thing",
      listKind: "Things",
      shortNames: ["t"],
      categories: ["all"],
    },
    ...{ storagePrefix: "/example.com/things/", schema: { name: "Thing" } },
  });
  expect(accepted?.subresources[0]?.kind).toEqual({ group: "example.com", version: "v1", kind: "Thing" });
  const [plain] = servedVersions(withSpec({ names: { plural: "gizmos", kind: "GizMo" } }));
  expect(plain).toMatchObject({
    ...{ listKind: "GizMoList", singular: "gizmo", shortNames: [], categories: [] },
    schema: { name: "GizMo" },
  });
});

it.each([
  ["Cluster", "Cluster"],
  ["Namespaced", "Namespaced"],
])("serves the scope %s", (scope, served) => {
  expect(servedVersions(withSpec({ scope }))[0]?.scope).toBe(served);
});

it("keeps managed fields unless the options disable them", () => {
  expect(servedVersions(definition)[0]?.fieldManager).toBeDefined();
  expect(servedVersions(definition, { managedFields: false })[0]?.fieldManager).toBeUndefined();
});

it("has the subresources that the version has, and its storage version", () => {
  const [v1, alpha] = servedVersions(definition);
  expect(alpha?.subresources).toEqual([]);
  expect([v1?.storedVersion, alpha?.storedVersion]).toEqual(["v1", "v1"]);
  expect(v1?.subresources.map(({ verbs }) => verbs)).toEqual([
    ["get", "patch", "update"],
    ["get", "patch", "update"],
  ]);
  const status = [{ name: "v1", served: true, storage: false, subresources: { status: {} } }];
  const [only] = servedVersions(withSpec({ versions: status }));
  expect(only?.subresources.map(({ name }) => name)).toEqual(["status"]);
  expect(only?.storedVersion).toBe("v1");
});

type Version = CustomResourceDefinition["spec"]["versions"][number];
const version = (name: string, more: Partial<Version> = {}): Version => ({
  name,
  served: true,
  storage: false,
  ...more,
});
it.each<readonly [versions: readonly Version[], warning: string | undefined]>([
  [[version("v2"), version("v1")], undefined],
  [[version("v2", { deprecated: true })], "example.com/v2 Gizmo is deprecated"],
  [[version("v2", { deprecated: true, deprecationWarning: "go" }), version("v3")], "go"],
  [[version("v2", { deprecated: true, deprecationWarning: "" }), version("v3")], ""],
  [[version("v2", { deprecated: true }), version("v1")], "example.com/v2 Gizmo is deprecated"],
  [
    [version("v2", { deprecated: true }), version("v3"), version("v4")],
    "example.com/v2 Gizmo is deprecated; use example.com/v4 Gizmo",
  ],
  [[version("v2", { deprecated: true }), version("v3", { served: false })], "example.com/v2 Gizmo is deprecated"],
  [[version("v2", { deprecated: true }), version("v3", { deprecated: true })], "example.com/v2 Gizmo is deprecated"],
])("warns of a deprecated version: %j", (versions, warning) => {
  const found = servedVersions(withSpec({ versions: [...versions] })).find((served) => served.version === "v2");
  expect(found?.deprecationWarning).toBe(warning);
});

describe("the strategy Webhook", () => {
  const resolveService = (): Promise<never> => Promise.reject(new Error("there are no services"));
  const webhooks = new WebhookClients({ clock: systemClock, resolveService });
  const clientConfig = { service: { namespace: "a", name: "b" } };
  const stored: Unstructured = { ...gizmo, spec: {} };
  const convert = async (
    conversion: CustomResourceDefinition["spec"]["conversion"],
    options?: object,
  ): Promise<unknown> => {
    const alpha = servedVersions(withSpec({ ...(conversion ? { conversion } : {}) }), options)[1];
    return (await alpha?.converter?.toServed([stored]))?.[0]?.apiVersion;
  };

  it("converts by calling the webhook", async () => {
    await expect(convert({ strategy: "Webhook", webhook: { clientConfig } }, { webhooks })).rejects.toThrow(
      "conversion webhook for example.com/v1, Kind=Gizmo failed: ",
    );
  });

  it.each<readonly [title: string, conversion: CustomResourceDefinition["spec"]["conversion"], options: object]>([
    ["a way to call it", { strategy: "Webhook", webhook: { clientConfig } }, {}],
    ["a webhook", { strategy: "Webhook" }, { webhooks }],
    ["the strategy", { strategy: "None", webhook: { clientConfig } }, { webhooks }],
    ["a conversion", undefined, { webhooks }],
  ])("converts like None without %s", async (_title, conversion, options) => {
    expect(await convert(conversion, options)).toBe("example.com/v1alpha1");
  });
});

it("reads what was stored before there were too many defaults", async () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i]));
  const item: JsonSchema = { type: "object", properties: { a: { type: "object", default: many } } };
  const openAPIV3Schema: JsonSchema = { type: "object", properties: { list: { type: "array", items: item } } };
  const [v1] = servedVersions(withSpec({ versions: [version("v1", { storage: true, schema: { openAPIV3Schema } })] }));
  const list = Array.from({ length: 2_000 }, () => ({}));
  const stored: Unstructured = { ...gizmo, list };
  expect((await v1?.converter?.toServed([stored]))?.[0]).toMatchObject({ kind: "Gizmo" });
});
