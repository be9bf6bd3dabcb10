import { describe, expect, it } from "vitest";
import { labelled } from "../testing/attributes.ts";
import { collectParams, type ParamReader, paramResource } from "./params.ts";
import type { ParamRef } from "./policy-types.ts";

const resource = (scope: "Cluster" | "Namespaced") => ({ resource: "limits", scope }) as never;
const asked: string[] = [];
const reader: ParamReader = {
  resourceOf: ({ kind }) => (kind === "Limits" ? resource("Cluster") : undefined),
  get: async (_resource, namespace, name) => {
    asked.push(`${namespace}/${name}`);
    return name === "gone" ? undefined : labelled({ name });
  },
  list: async (_resource, namespace) => {
    asked.push(`${namespace}/`);
    return [labelled({ tier: "a" }), labelled({ tier: "b" }), labelled()];
  },
};
const collect = async (scope: "Cluster" | "Namespaced", ref: ParamRef | undefined, namespace = "default") => {
  asked.length = 0;
  const found = await collectParams(resource(scope), ref, namespace, reader);
  return { asked: asked.join(), labels: found.map((one) => one?.metadata.labels ?? {}) };
};
const ofTier = (tier: string) => ({ selector: { matchLabels: { tier } } });

/** @see apiserver pkg/admission/plugin/policy/generic CollectParams */
describe("the parameters of a binding", () => {
  it.each<[string, "Cluster" | "Namespaced", ParamRef, string, readonly object[]]>([
    ["are one of the request's namespace", "Namespaced", { name: "a" }, "default/a", [{ name: "a" }]],
    ["are one of another namespace", "Namespaced", { name: "a", namespace: "other" }, "other/a", [{ name: "a" }]],
    ["are one of the cluster", "Cluster", { name: "a" }, "/a", [{ name: "a" }]],
    ["are those that are selected", "Namespaced", ofTier("a"), "default/", [{ tier: "a" }]],
    ["are all that there are", "Cluster", { selector: {} }, "/", [{ tier: "a" }, { tier: "b" }, {}]],
    ["may be missing", "Namespaced", { name: "gone", parameterNotFoundAction: "Allow" }, "default/gone", []],
    ["may be an empty selection", "Namespaced", { ...ofTier("c"), parameterNotFoundAction: "Allow" }, "default/", []],
    ["exist if required", "Namespaced", { name: "a", parameterNotFoundAction: "Deny" }, "default/a", [{ name: "a" }]],
  ])("%s", async (_what, scope, ref, where, labels) => {
    expect(await collect(scope, ref)).toEqual({ asked: where, labels });
  });

  it.each<[string, "Cluster" | "Namespaced", ParamRef, string, string]>([
    [
      "have to be there",
      "Namespaced",
      { name: "gone", parameterNotFoundAction: "Deny" },
      "default",
      "no params found for policy binding with `Deny` parameterNotFoundAction",
    ],
    [
      "have to be among those selected",
      "Namespaced",
      { ...ofTier("c"), parameterNotFoundAction: "Deny" },
      "default",
      "no params found",
    ],
    [
      "of the cluster have no namespace",
      "Cluster",
      { name: "a", namespace: "other" },
      "default",
      "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
    ],
    [
      "of a namespace need one",
      "Namespaced",
      { name: "a" },
      "",
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    ],
  ])("%s", async (_what, scope, ref, namespace, message) => {
    await expect(collect(scope, ref, namespace)).rejects.toThrow(message);
  });

  it("are one undefined value for a policy or a binding without parameters", async () => {
    expect(await collectParams(undefined, { name: "a" }, "default", reader)).toEqual([undefined]);
    expect(await collectParams(resource("Cluster"), undefined, "default", reader)).toEqual([undefined]);
  });
});

it("must be of a served kind", () => {
  expect(paramResource(undefined, reader)).toBeUndefined();
  expect(paramResource({ apiVersion: "example.com/v1", kind: "Limits" }, reader)).toMatchObject({ resource: "limits" });
  const missing = "failed to find resource referenced by paramKind: ";
  expect(() => paramResource({ apiVersion: "example.com/v1", kind: "Gone" }, reader)).toThrow(
    `${missing}'example.com/v1, Kind=Gone'`,
  );
  expect(() => paramResource({ apiVersion: "v1", kind: "Gone" }, reader)).toThrow(`${missing}'/v1, Kind=Gone'`);
});
