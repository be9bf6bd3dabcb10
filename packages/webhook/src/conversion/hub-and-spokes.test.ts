import { type CustomResourceDefinitionManifest, defineKind, typedSchema } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { conversion } from "../conversion.ts";
import { checkHubAndSpokes, type HubSpoke, spokesByVersion } from "./hub-and-spokes.ts";

const spec = typedSchema<{ a?: string }>({ type: "object", properties: { a: { type: "string" } } });
const kindOf = (version: string, kind = "Site", group = "shop.example.com") =>
  defineKind({ group, version, kind, scope: "Namespaced", spec });
const spokeOf = (...names: Parameters<typeof kindOf>): HubSpoke => ({
  kind: kindOf(...names),
  toHub: (object) => object,
  fromHub: (object) => object,
});
const hub = kindOf("v1");
const definition = (versions: readonly string[], kind = "Site", group = "shop.example.com") =>
  ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `sites.${group}` },
    spec: {
      group,
      names: { kind, plural: "sites", singular: "site", listKind: "SiteList" },
      scope: "Namespaced",
      versions: versions.map((name) => ({
        name,
        served: true,
        storage: name === "v1",
        schema: { openAPIV3Schema: {} },
      })),
    },
  }) satisfies CustomResourceDefinitionManifest;

/** @see controller-runtime pkg/webhook/conversion NewHubSpokeConverter */
it.each<[string, HubSpoke[], ReturnType<typeof definition> | undefined, string | undefined]>([
  ["no spokes", [], undefined, undefined],
  ["two spokes", [spokeOf("v1beta1"), spokeOf("v1alpha1")], undefined, undefined],
  ["all that is defined, in any order", [spokeOf("v2"), spokeOf("v0")], definition(["v0", "v1", "v2"]), undefined],
  ["the hub alone, and no more defined", [], definition(["v1"]), undefined],
  [
    "another kind",
    [spokeOf("v2", "Shop")],
    undefined,
    "spoke converter GroupKind Shop.shop.example.com does not match hub GroupKind Site.shop.example.com",
  ],
  ["another group", [spokeOf("v2", "Site", "x.io")], undefined, "spoke converter GroupKind Site.x.io does not match"],
  ["the hub itself", [spokeOf("v1")], undefined, "the hub's own version v1 needs no spoke converter"],
  ["two for one version", [spokeOf("v2"), spokeOf("v2")], undefined, "duplicate spoke converter for version v2"],
  [
    "the definition of another kind",
    [],
    definition(["v1"], "Shop"),
    "CRD sites.shop.example.com defines Shop.shop.example.com",
  ],
  ["the definition of another group", [], definition(["v1"], "Site", "x.io"), "CRD sites.x.io defines Site.x.io"],
  [
    "a definition without the hub",
    [spokeOf("v2")],
    definition(["v2"]),
    "the definition sites.shop.example.com has no version v1",
  ],
  [
    "a version without a converter",
    [spokeOf("v2")],
    definition(["v3", "v1", "v2"]),
    "expected spoke converter for v2,v3 got spoke converter for v2",
  ],
  ["without spokes", [], definition(["v1", "v2"]), "expected spoke converter for v2 got spoke converter for none"],
  ["one too many", [spokeOf("v2")], definition(["v1"]), "expected spoke converter for none got spoke converter for v2"],
])("creates a hub with %s", (_, spokes, crd, problem) => {
  const check = () => checkHubAndSpokes({ hub, spokes, crd });
  if (problem === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(`failed to create hub spoke converter for Site: ${problem}`);
});

it("finds spokes by apiVersion", () => {
  const spokes = [spokeOf("v2"), spokeOf("v3")];
  expect([...spokesByVersion({ hub, spokes })]).toEqual([
    ["shop.example.com/v2", spokes[0]],
    ["shop.example.com/v3", spokes[1]],
  ]);
});

it("refuses versions that do not match", () => {
  expect(conversion({ hub, spokes: [spokeOf("v2")] }).conversions).toHaveLength(1);
  expect(() => conversion({ hub, spokes: [spokeOf("v1")] })).toThrow("the hub's own version v1 needs no spoke");
});
