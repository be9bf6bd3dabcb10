import { builtinCatalogue } from "@kubewright/codec/schema";
import { expect, it } from "vitest";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import { hasAllNames, isEstablished, namesOfBuiltin, namesOfDefinition, releasesNames } from "./crd-object.ts";

type Status = CustomResourceDefinition["status"];
const condition = { type: "Established", lastTransitionTime: "", reason: "", message: "" } as const;
const asked = { plural: "wanted", kind: "Wanted" };
const definition = (status: Status): CustomResourceDefinition => ({
  ...{ apiVersion: "a", kind: "b", metadata: { name: "c" } },
  spec: { group: "", scope: "", versions: [], names: asked },
  ...(status ? { status } : {}),
});

it.each<readonly [status: Status, established: boolean]>([
  [undefined, false],
  [{}, false],
  [{ conditions: null }, false],
  [{ conditions: [] }, false],
  [{ conditions: [{ ...condition, status: "False" }] }, false],
  [{ conditions: [{ ...condition, type: "NamesAccepted", status: "True" }] }, false],
  [{ conditions: [{ ...condition, status: "True" }] }, true],
])("reads from %j whether a definition is established", (status, established) => {
  expect(isEstablished(definition(status))).toBe(established);
});

const names = { plural: "foos", kind: "Foo" };
it.each<readonly [status: Status, taken: readonly object[]]>([
  [undefined, []],
  [{}, []],
  [{ acceptedNames: names }, [{ ...names, singular: "", listKind: "", shortNames: [] }]],
  [
    { acceptedNames: { ...names, singular: "foo", listKind: "FooList", shortNames: ["f"], categories: ["all"] } },
    [{ ...names, singular: "foo", listKind: "FooList", shortNames: ["f"] }],
  ],
])("reads from %j which names a definition holds", (status, taken) => {
  expect(namesOfDefinition(definition(status))).toEqual(taken);
});

it.each<readonly [status: Status, all: boolean]>([
  [undefined, false],
  [{ conditions: null }, false],
  [{ conditions: [{ ...condition, status: "True" }] }, false],
  [{ conditions: [{ ...condition, type: "NamesAccepted", status: "False" }] }, false],
  [{ conditions: [{ ...condition, type: "NamesAccepted", status: "True" }] }, true],
])("reads from %j whether a definition has all its names", (status, all) => {
  expect(hasAllNames(definition(status))).toBe(all);
});

it.each<readonly [before: object | undefined, now: object, released: boolean]>([
  [undefined, {}, false],
  [{}, {}, false],
  [{ plural: "", kind: "" }, {}, false],
  [{}, { plural: "others" }, true],
  [{ kind: "Other" }, {}, true],
  [{ singular: "foo" }, { singular: "" }, true],
  [{ singular: "foo" }, { shortNames: ["foo"] }, false],
  [{ shortNames: ["a", "b"] }, { shortNames: ["b", "c"] }, true],
  [{ shortNames: ["a"] }, { shortNames: ["b", "a"] }, false],
  [{ categories: ["all"] }, {}, false],
])("knows whether names %j that become %j release one", (before, now, released) => {
  const having = (more: object): CustomResourceDefinition => definition({ acceptedNames: { ...names, ...more } });
  expect(releasesNames(before ? having(before) : definition(undefined), having(now))).toBe(released);
});

it("knows the names of a built-in resource", () => {
  const taken = {
    plural: "deployments",
    singular: "deployment",
    kind: "Deployment",
    listKind: "DeploymentList",
    shortNames: ["deploy"],
  };
  const entry = builtinCatalogue.find(({ kind }) => kind === "Deployment");
  expect(entry && namesOfBuiltin(entry)).toEqual(taken);
});
