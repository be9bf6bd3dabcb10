import { expect, it } from "vitest";
import { builtinCatalogue } from "./catalogue.ts";

const find = (kind: string, group = "") =>
  builtinCatalogue.find((entry) => entry.kind === kind && entry.group === group);
const all = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const usual = ["get", "patch", "update"];

it("reads a resource with categories, short names and subresources", () => {
  expect(find("Deployment", "apps")).toEqual({
    ...{ group: "apps", version: "v1", kind: "Deployment", resource: "deployments", listKind: "DeploymentList" },
    ...{ singular: "deployment", shortNames: ["deploy"], categories: ["all"], scope: "Namespaced", verbs: all },
    subresources: [
      { name: "scale", verbs: usual, kind: { group: "autoscaling", version: "v1", kind: "Scale" } },
      { name: "status", verbs: usual, kind: { group: "apps", version: "v1", kind: "Deployment" } },
    ],
  });
});

it("reads scopes, verbs and lists of names", () => {
  expect(find("Node")).toMatchObject({ group: "", version: "v1", scope: "Cluster", shortNames: ["no"] });
  expect(find("SubjectAccessReview", "authorization.k8s.io")).toMatchObject({
    ...{ scope: "Cluster", verbs: ["create"], shortNames: [], categories: [], subresources: [] },
  });
  expect(find("Namespace")?.verbs).toEqual(all.filter((verb) => verb !== "deletecollection"));
  expect(find("CustomResourceDefinition", "apiextensions.k8s.io")?.shortNames).toEqual(["crd", "crds"]);
});

it("reads the verbs and kinds of subresources", () => {
  const of = (name: string, kind = "Pod", group = "") =>
    find(kind, group)?.subresources.find((subresource) => subresource.name === name);
  expect(of("binding")).toEqual({
    name: "binding",
    verbs: ["create"],
    kind: { group: "", version: "v1", kind: "Binding" },
  });
  expect(of("eviction")?.kind).toEqual({ group: "policy", version: "v1", kind: "Eviction" });
  expect(of("exec")).toMatchObject({ verbs: ["create", "get"], kind: { kind: "PodExecOptions" } });
  expect(of("log")?.verbs).toEqual(["get"]);
  expect(of("token", "ServiceAccount")?.kind).toMatchObject({ group: "authentication.k8s.io", kind: "TokenRequest" });
});

it("knows only verbs that there are", () => {
  const verbs = builtinCatalogue.flatMap((entry) => [entry, ...entry.subresources]).flatMap((each) => each.verbs);
  expect([...new Set(verbs)].sort()).toEqual(all);
});
