import type { Condition } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { CustomResourceDefinition, DefinitionNames } from "./definition.ts";
import { namingConditions, type TakenNames } from "./naming.ts";

const names: DefinitionNames = { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" };
const taken = (more: Partial<TakenNames>): TakenNames => ({
  ...{ plural: "bars", singular: "bar", kind: "Bar", listKind: "BarList", shortNames: ["b"] },
  ...more,
});
const definition = (
  wanted: Partial<DefinitionNames> = {},
  status?: CustomResourceDefinition["status"],
): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.example.org" },
  spec: { group: "example.org", scope: "Cluster", names: { ...names, ...wanted }, versions: [] },
  ...(status ? { status } : {}),
});
const established = (status: Condition["status"]): Condition => ({
  ...{ type: "Established", status, reason: "", message: "", lastTransitionTime: "" },
});

it("accepts free names", () => {
  const wanted = { shortNames: ["f"], categories: ["all"] };
  expect(namingConditions(definition(wanted), [taken({})])).toEqual({
    acceptedNames: { ...names, ...wanted },
    namesAccepted: { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
    established: {
      ...{ type: "Established", status: "True", reason: "InitialNamesAccepted" },
      message: "the initial names have been accepted",
    },
  });
});

it.each<readonly [string, Partial<TakenNames>, string, keyof DefinitionNames]>([
  ["a plural that is a plural", { plural: "foos" }, "PluralConflict", "plural"],
  ["a plural that is a short name", { shortNames: ["x", "foos"] }, "PluralConflict", "plural"],
  ["a singular", { singular: "foo" }, "SingularConflict", "singular"],
  ["a kind", { kind: "Foo" }, "KindConflict", "kind"],
  ["a kind that is the kind of a list", { listKind: "Foo" }, "KindConflict", "kind"],
  ["the kind of a list", { listKind: "FooList" }, "ListKindConflict", "listKind"],
])("does not accept %s of another definition", (_title, held, reason, name) => {
  const { acceptedNames, namesAccepted, established } = namingConditions(definition(), [taken(held)]);
  expect(namesAccepted).toMatchObject({ status: "False", reason, message: `"${names[name]}" is already in use` });
  expect(established).toEqual({
    ...{ type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
  });
  const { [name]: _taken, ...others } = names;
  expect(acceptedNames).toMatchObject(others);
  expect(acceptedNames[name] ?? "").toBe("");
});

it("accepts short names together or not at all, and lists each that is taken", () => {
  const wanted = definition({ shortNames: ["f", "b", "c"] });
  expect(namingConditions(wanted, [taken({})])).toMatchObject({
    namesAccepted: { reason: "ShortNamesConflict", message: '"b" is already in use' },
  });
  const { acceptedNames, namesAccepted } = namingConditions(wanted, [taken({ shortNames: ["b", "c"] })]);
  expect(namesAccepted.message).toBe('["b" is already in use, "c" is already in use]');
  expect(acceptedNames).toEqual(names);
});

it("keeps accepted names while the new one is taken, and drops those no longer requested", () => {
  const before = { ...names, plural: "olds", shortNames: ["o"], categories: ["all"] };
  const status = { acceptedNames: before, conditions: [established("True")] };
  const { acceptedNames, established: still } = namingConditions(definition({}, status), [taken({ plural: "foos" })]);
  expect(acceptedNames).toEqual({ ...names, plural: "olds" });
  expect(still.status).toBe("True");
  const never = { conditions: [established("False")] };
  expect(namingConditions(definition({}, never), [taken({ plural: "foos" })]).established.status).toBe("False");
});

it("drops empty lists of names", () => {
  const status = { acceptedNames: { ...names, shortNames: ["f"], categories: ["all"] } };
  const { acceptedNames } = namingConditions(definition({ shortNames: [], categories: [] }, status), []);
  expect(acceptedNames).toEqual(names);
});

it("treats an absent name as free", () => {
  const { singular: _singular, listKind: _listKind, ...few } = names;
  const given: CustomResourceDefinition = definition();
  given.spec.names = few;
  const { namesAccepted, acceptedNames } = namingConditions(given, [taken({ singular: "", listKind: "" })]);
  expect(namesAccepted.status).toBe("True");
  expect(acceptedNames).toEqual({ ...few, singular: "", listKind: "" });
});

it("reports the last of several conflicts", () => {
  const { namesAccepted } = namingConditions(definition(), [taken({ plural: "foos", kind: "Foo" })]);
  expect(namesAccepted.reason).toBe("KindConflict");
});
