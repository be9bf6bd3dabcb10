import { fieldErrorMessage } from "@kubewright/apimachinery";
import { systemRandom } from "@kubewright/clock";
import { expect, it } from "vitest";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import { customResourceDefinitionStrategy as strategy } from "./definition-strategy.ts";

const finalizer = "customresourcecleanup.apiextensions.k8s.io";
const version = (name: string, storage: boolean) => ({ name, served: true, storage });
const definition = (more: Partial<CustomResourceDefinition> = {}): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.example.org" },
  spec: {
    group: "example.org",
    scope: "Namespaced",
    names: { plural: "foos", kind: "FoO" },
    versions: [version("v1", false), version("v2", true)],
  },
  ...more,
});

it("fills in names, conversion, the webhook's port and the stored versions", () => {
  const given = definition();
  given.spec.conversion = {
    strategy: "Webhook",
    webhook: { clientConfig: { service: { namespace: "a", name: "b" } } },
  };
  strategy.applyDefaults?.(given);
  expect(given.spec.names).toEqual({ plural: "foos", kind: "FoO", singular: "foo", listKind: "FoOList" });
  expect(given.spec.conversion.webhook?.clientConfig?.service?.port).toBe(443);
  expect(given.status).toEqual({ storedVersions: ["v2"] });
});

it("keeps given values", () => {
  const given = definition({ status: { storedVersions: ["v0"], conditions: [] } });
  given.spec.names = { plural: "foos", kind: "Foo", singular: "one", listKind: "Many" };
  given.spec.conversion = { strategy: "None" };
  const before = structuredClone(given);
  strategy.applyDefaults?.(given);
  expect(given).toEqual(before);
});

it("fills in the members that Go's types always have", () => {
  const given: Partial<CustomResourceDefinition> & Pick<CustomResourceDefinition, "apiVersion" | "kind" | "metadata"> =
    {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "a" } },
    };
  strategy.applyDefaults?.(given as CustomResourceDefinition);
  expect(given.spec).toEqual({
    ...{ group: "", scope: "", versions: [], names: { plural: "", kind: "" }, conversion: { strategy: "None" } },
  });
  expect(given.status).toEqual({ storedVersions: [] });
});

const context = {
  nowMs: Date.parse("2030-01-01T00:00:00Z"),
  namespace: "",
  dryRun: false,
  user: { name: "jane", groups: [] },
};

it("starts with only the storage version, whatever the writer sets", () => {
  const given = definition({ status: { storedVersions: ["v0"], acceptedNames: { plural: "x", kind: "X" } } });
  strategy.prepareForCreate?.(given, context, systemRandom);
  expect(given.status).toEqual({
    ...{ conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v2"] },
  });
});

it.each([
  [undefined, ["v2"]],
  [["v1"], ["v1", "v2"]],
  [
    ["v2", "v1"],
    ["v2", "v1"],
  ],
])("adds a new storage version to the stored ones: %j", (before, after) => {
  const given = definition(before ? { status: { storedVersions: before } } : {});
  strategy.prepareForUpdate?.(given, definition(), context);
  expect(given.status?.storedVersions).toEqual(after);
});

it.each<
  readonly [finalizers: string[] | undefined, conditions: string[] | undefined, after: string[], types: string[]]
>([
  [undefined, undefined, [finalizer], ["Terminating"]],
  [["x"], ["Established"], ["x", finalizer], ["Established", "Terminating"]],
  [[finalizer], ["Terminating", "Established"], [finalizer], ["Established", "Terminating"]],
])("waits for the removal of instances: finalizers %j, conditions %j", (finalizers, conditions, after, types) => {
  const given = definition();
  if (finalizers) given.metadata.finalizers = finalizers;
  const old = { status: "False", reason: "", message: "", lastTransitionTime: "" } as const;
  if (conditions) given.status = { storedVersions: ["v2"], conditions: conditions.map((type) => ({ type, ...old })) };
  strategy.prepareForDelete?.(given, context);
  expect(given.metadata.finalizers).toEqual(after);
  expect(given.status?.conditions?.map(({ type }) => type)).toEqual(types);
  expect(given.status?.conditions?.at(-1)).toMatchObject({
    ...{ type: "Terminating", status: "True", reason: "InstanceDeletionPending" },
    lastTransitionTime: "2030-01-01T00:00:00Z",
  });
});

it("validates creates and updates", () => {
  const wrong = definition({ metadata: { name: "bars.example.org" }, status: { storedVersions: ["v2"] } });
  const texts = (errors: Parameters<typeof fieldErrorMessage>[0][] | undefined) =>
    (errors ?? []).map(fieldErrorMessage);
  expect(texts(strategy.validate?.(wrong, context)).join()).toContain("metadata.name: Invalid value");
  const changed = definition({ status: { storedVersions: ["v2"] } });
  changed.spec = { ...changed.spec, group: "example.com" };
  expect(texts(strategy.validateUpdate?.(changed, definition(), context)).join()).toContain(
    "spec.group: Invalid value",
  );
});
