import { expect, it } from "vitest";
import type { AdmissionAttributes } from "../admission.ts";
import type { ServedResources } from "../equivalent-resources.ts";
import { attributesOf, labelled } from "../testing/attributes.ts";
import { policyMatch } from "./policy-match.ts";
import type { MatchResources, NamedRule } from "./policy-types.ts";

const widget = (version: string) => ({
  group: "x.io",
  version,
  resource: "widgets",
  kind: "Widget",
  storagePrefix: "/widgets",
  subresources: [],
});
const all = [widget("v1"), widget("v2")];
const served = {
  find: ({ version }: { version: string }) => all.find((each) => each.version === version),
  sharing: () => all,
} as unknown as ServedResources;
const rule = (apiVersion: string, more: NamedRule = {}): NamedRule => ({
  operations: ["*"],
  apiGroups: ["x.io"],
  apiVersions: [apiVersion],
  resources: ["widgets"],
  ...more,
});
const request = (more: Partial<AdmissionAttributes> = {}) =>
  attributesOf({
    resource: { group: "x.io", version: "v1", resource: "widgets" },
    kind: { group: "x.io", version: "v1", kind: "Widget" },
    object: labelled({ a: "b" }),
    ...more,
  });
const namespaces = async (name: string) => labelled({ team: name });
const selecting = (labels: Record<string, string>) => ({ matchLabels: labels });

/** @see apiserver pkg/admission/plugin/policy/matching matching_test.go TestMatcher */
it.each<[string, MatchResources, Partial<AdmissionAttributes>, string | undefined]>([
  ["all there is", {}, {}, "v1"],
  ["its resource", { resourceRules: [rule("v1")] }, {}, "v1"],
  ["another resource", { resourceRules: [rule("v1", { resources: ["others"] })] }, {}, undefined],
  ["its resource by another version", { resourceRules: [rule("v2")] }, {}, "v2"],
  ["the request's own version first", { resourceRules: [rule("v2"), rule("v1")] }, {}, "v1"],
  ["exactly another version", { matchPolicy: "Exact", resourceRules: [rule("v2")] }, {}, undefined],
  ["exactly its version", { matchPolicy: "Exact", resourceRules: [rule("v1")] }, {}, "v1"],
  ["one of two", { resourceRules: [rule("v9"), rule("v1")] }, {}, "v1"],
  ["all but it", { excludeResourceRules: [rule("v1")] }, {}, undefined],
  ["all but it by another version", { excludeResourceRules: [rule("v2")] }, {}, undefined],
  ["all but exactly another version", { matchPolicy: "Exact", excludeResourceRules: [rule("v2")] }, {}, "v1"],
  ["it and not it", { resourceRules: [rule("v1")], excludeResourceRules: [rule("v1")] }, {}, undefined],
  ["all but another", { excludeResourceRules: [rule("v1", { resources: ["others"] })] }, {}, "v1"],
  ["its name", { resourceRules: [rule("v1", { resourceNames: ["web"] })] }, {}, "v1"],
  ["another name", { resourceRules: [rule("v1", { resourceNames: ["db"] })] }, {}, undefined],
  ["all but its name", { excludeResourceRules: [rule("v1", { resourceNames: ["web"] })] }, {}, undefined],
  ["all but another name", { excludeResourceRules: [rule("v1", { resourceNames: ["db"] })] }, {}, "v1"],
  ["another operation", { resourceRules: [rule("v1", { operations: ["DELETE"] })] }, {}, undefined],
  ["its labels", { objectSelector: selecting({ a: "b" }) }, {}, "v1"],
  ["other labels", { objectSelector: selecting({ a: "c" }) }, {}, undefined],
  ["labels that it had", { objectSelector: selecting({ a: "c" }) }, { oldObject: labelled({ a: "c" }) }, "v1"],
  ["labels of its namespace", { namespaceSelector: selecting({ team: "default" }) }, {}, "v1"],
  ["labels of another namespace", { namespaceSelector: selecting({ team: "other" }) }, {}, undefined],
  [
    "labels of a namespace, of an object of the cluster",
    { namespaceSelector: selecting({ team: "other" }) },
    { namespace: "" },
    "v1",
  ],
])("a policy matches %s, or not", async (_what, match, more, version) => {
  const found = await policyMatch(match, request(more), served, namespaces);
  expect(found).toEqual(
    version === undefined
      ? undefined
      : {
          resource: { group: "x.io", version, resource: "widgets" },
          kind: { group: "x.io", version, kind: "Widget" },
        },
  );
});
