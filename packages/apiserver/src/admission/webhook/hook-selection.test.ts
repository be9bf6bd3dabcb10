import { describe, expect, it } from "vitest";
import type { AdmissionAttributes } from "../admission.ts";
import type { ServedResources } from "../equivalent-resources.ts";
import type { MatchOutcome } from "../match-conditions.ts";
import { policyMatch } from "../policy/policy-match.ts";
import { attributesOf, labelled } from "../testing/attributes.ts";
import { hooksOf, type Webhook } from "./configuration.ts";
import { invocationOf, seenAs } from "./hook-selection.ts";

const gvr = (group: string, version: string, resource = "deployments") => ({ group, version, resource });
const gvk = (group: string, version: string, kind = "Deployment") => ({ group, version, kind });
const served = (group: string, version: string, subresources: object[] = []) => ({
  ...gvr(group, version),
  kind: "Deployment",
  storagePrefix: "/apps/deployments/",
  subresources,
});
const scale = { name: "scale", kind: gvk("autoscaling", "v1", "Scale") };
const [v1, beta, old] = [
  served("apps", "v1", [scale]),
  served("apps", "v1beta1"),
  served("extensions", "v1beta1", [scale]),
];
const resources: ServedResources = {
  find: ({ group, version, resource }: ReturnType<typeof gvr>) =>
    [v1, beta, old].find((one) => one.group === group && one.version === version && one.resource === resource),
  sharing: (prefix: string) => (prefix === "/apps/deployments/" ? [v1, beta, old] : []),
} as never;

const rule = (group: string, version: string, ...names: string[]) => ({
  operations: ["CREATE"],
  apiGroups: [group],
  apiVersions: [version],
  resources: names.length > 0 ? names : ["deployments"],
});
const asked = (more: Partial<AdmissionAttributes> = {}) =>
  attributesOf({ resource: gvr("apps", "v1"), kind: gvk("apps", "v1"), object: labelled({ stage: "prod" }), ...more });
const lookup = async (name: string) => (name === "default" ? labelled({ team: "a" }) : undefined);

const webhook = (more: Partial<Webhook>): Webhook => ({
  name: "w",
  clientConfig: { url: "https://w" },
  admissionReviewVersions: ["v1"],
  matchPolicy: "Equivalent",
  ...more,
});
async function placeOf(more: Partial<Webhook>, attributes = asked(), outcome: MatchOutcome = { matches: true }) {
  const [hook] = hooksOf([{ apiVersion: "a", kind: "b", metadata: { name: "c" }, webhooks: [webhook(more)] }]);
  if (!hook) throw new Error("there is one");
  const parts = { served: resources, namespaces: lookup, matchConditions: () => outcome };
  const found = await invocationOf(hook, attributes, parts);
  return (
    found &&
    `${found.resource.group}/${found.resource.version} ${found.kind.group}/${found.kind.version} ${found.kind.kind}`
  );
}
async function placeOfPolicy(match: Parameters<typeof policyMatch>[0], attributes = asked()) {
  const found = await policyMatch(match, attributes, resources, lookup);
  return (
    found &&
    `${found.resource.group}/${found.resource.version} ${found.kind.group}/${found.kind.version} ${found.kind.kind}`
  );
}

const own = "apps/v1 apps/v1 Deployment";
const other = "apps/v1beta1 apps/v1beta1 Deployment";
const foreign = "extensions/v1beta1 extensions/v1beta1 Deployment";
const prod = { matchLabels: { stage: "prod" } };
const test = { matchLabels: { stage: "test" } };

/** @see apiserver pkg/admission/plugin/webhook/generic webhook_test.go TestShouldCallHook */
describe("a webhook and a policy match", () => {
  it.each<[string, ReturnType<typeof rule>[], string, string | undefined]>([
    ["under the request's own name", [rule("apps", "v1")], "Exact", own],
    ["under any name", [rule("*", "*")], "Equivalent", own],
    [
      "under the request's resource, if a later rule has it",
      [rule("apps", "v1beta1"), rule("apps", "v1")],
      "Equivalent",
      own,
    ],
    ["under another version", [rule("apps", "v1beta1")], "Equivalent", other],
    ["under another group", [rule("extensions", "*")], "Equivalent", foreign],
    ["under the first rule's resource", [rule("extensions", "*"), rule("apps", "v1beta1")], "Equivalent", foreign],
    ["not under another version, if they want it exactly", [rule("apps", "v1beta1")], "Exact", undefined],
    ["not under an unserved resource", [rule("apps", "v2")], "Equivalent", undefined],
  ])("%s", async (_what, rules, matchPolicy, place) => {
    expect(await placeOf({ rules, matchPolicy: matchPolicy as "Exact" })).toBe(place);
    expect(await placeOfPolicy({ resourceRules: rules, matchPolicy: matchPolicy as "Exact" })).toBe(place);
  });

  it("under another group's part of the same name", async () => {
    const rules = [rule("extensions", "*", "deployments/scale")];
    const part = asked({ subresource: "scale" });
    expect(await placeOf({ rules }, part)).toBe("extensions/v1beta1 autoscaling/v1 Scale");
    expect(await placeOf({ rules: [rule("apps", "v1beta1", "deployments/scale")] }, part)).toBeUndefined();
    expect(await placeOfPolicy({ resourceRules: rules }, part)).toBe("extensions/v1beta1 autoscaling/v1 Scale");
  });

  it("by the labels of objects and namespaces", async () => {
    const rules = [rule("apps", "v1")];
    const others = { matchLabels: { team: "b" } };
    expect(await placeOf({ rules, objectSelector: prod, namespaceSelector: { matchLabels: { team: "a" } } })).toBe(own);
    expect(await placeOf({ rules, objectSelector: test })).toBeUndefined();
    expect(await placeOf({ rules, namespaceSelector: others })).toBeUndefined();
    expect(await placeOfPolicy({ resourceRules: rules, objectSelector: prod })).toBe(own);
    expect(await placeOfPolicy({ resourceRules: rules, objectSelector: test })).toBeUndefined();
    expect(await placeOfPolicy({ resourceRules: rules, namespaceSelector: others })).toBeUndefined();
  });
});

/** @see apiserver pkg/admission conversion.go NewVersionedAttributes */
describe("a webhook sees objects", () => {
  const converter = (version: string, fails = false) => ({
    toStored: (object: object) => object,
    toServed: async (objects: readonly object[]) => {
      if (fails) throw new Error("no way");
      return objects.map((object) => ({ ...object, seen: version }));
    },
  });
  const all = [
    { ...v1, kind: "Any", converter: converter("own") },
    { ...beta, kind: "Any", converter: converter("another version") },
    { ...old, version: "v1", kind: "Any", converter: converter("another group") },
    { ...old, kind: "Any", converter: converter("", true) },
  ];
  const converting = {
    find: ({ group, version }: ReturnType<typeof gvr>) =>
      all.find((one) => one.group === group && one.version === version),
    sharing: () => [],
  } as unknown as ServedResources;
  const object = labelled({ stage: "prod" });
  const oldObject = labelled({ stage: "test" });
  const seen = (resource: ReturnType<typeof gvr>, kind: ReturnType<typeof gvk>, more = {}) =>
    seenAs(asked({ object, oldObject, ...more }), { resource, kind }, converting);

  it("unconverted, in the request's own kind", async () => {
    const same = await seen(gvr("apps", "v1beta1"), gvk("apps", "v1"));
    expect(same.object).toBe(object);
    expect(same.oldObject).toBe(oldObject);
  });

  it.each([
    ["another version", gvr("apps", "v1beta1"), gvk("apps", "v1beta1")],
    ["another group", gvr("extensions", "v1"), gvk("extensions", "v1")],
    ["another version", gvr("apps", "v1beta1"), gvk("apps", "v1", "Other")],
  ])("converted, of %s", async (what, resource, kind) => {
    expect(await seen(resource, kind)).toEqual({
      object: { ...object, seen: what },
      oldObject: { ...oldObject, seen: what },
    });
    expect(await seen(resource, kind, { object: undefined })).toEqual({
      object: undefined,
      oldObject: { ...oldObject, seen: what },
    });
  });

  it("never without a conversion, which is a server error", async () => {
    await expect(seen(gvr("extensions", "v1beta1"), gvk("extensions", "v1beta1"))).rejects.toMatchObject({
      status: { code: 500, message: expect.stringContaining("no way") },
    });
  });
});

describe("a webhook matches", () => {
  it("nothing without rules", async () => {
    expect(await placeOf({})).toBeUndefined();
    expect(await placeOf({ rules: [] })).toBeUndefined();
  });

  it("nothing that its rules do not name, whatever the namespace", async () => {
    expect(
      await placeOf({ rules: [rule("", "v1")], namespaceSelector: test }, asked({ namespace: "gone" })),
    ).toBeUndefined();
  });

  it("if its conditions hold, but not if they cannot be evaluated", async () => {
    const conditions = { rules: [rule("apps", "v1")], matchConditions: [{ name: "a", expression: "true" }] };
    expect(await placeOf(conditions)).toBe(own);
    expect(await placeOf(conditions, asked(), { matches: false })).toBeUndefined();
    await expect(placeOf(conditions, asked(), { matches: false, error: "no such key" })).rejects.toMatchObject({
      status: { code: 403 },
    });
    expect(await placeOf({ rules: [rule("apps", "v1")], matchConditions: [] }, asked(), { matches: false })).toBe(own);
  });

  it("in the order of configuration names, and of the list", () => {
    const configuration = (name: string, ...names: string[]) => ({
      apiVersion: "a",
      kind: "b",
      metadata: { name },
      webhooks: names.map((one) => webhook({ name: one })),
    });
    const hooks = hooksOf([configuration("b", "x"), configuration("a", "z", "y", "y")]);
    expect(hooks.map(({ id, configuration: of }) => `${of}: ${id}`)).toEqual([
      "a: a/z/0",
      "a: a/y/1",
      "a: a/y/2",
      "b: b/x/0",
    ]);
    expect(hooksOf([{ apiVersion: "a", kind: "b", metadata: { name: "none" } }])).toEqual([]);
  });
});

describe("a policy matches", () => {
  it("everything without rules, except exclusions", async () => {
    expect(await placeOfPolicy({})).toBe(own);
    expect(await placeOfPolicy({ excludeResourceRules: [rule("apps", "v1")] })).toBeUndefined();
    expect(await placeOfPolicy({ excludeResourceRules: [rule("apps", "v1beta1")] })).toBeUndefined();
    expect(await placeOfPolicy({ excludeResourceRules: [rule("apps", "v1beta1")], matchPolicy: "Exact" })).toBe(own);
    expect(await placeOfPolicy({ resourceRules: [rule("*", "*")], excludeResourceRules: [rule("", "v1")] })).toBe(own);
  });
});
