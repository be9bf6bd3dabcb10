import { expect, it } from "vitest";
import type { AuthorizationAttributes } from "../authorization/authorizer.ts";
import { AuditPolicy } from "./policy.ts";

const parse = (policy: object): AuditPolicy =>
  AuditPolicy.parse(JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", ...policy }));
const policyOf = (rule: object, more: object = {}): AuditPolicy =>
  parse({ rules: [{ level: "Metadata", ...rule }], ...more });

/** Parses `verb [namespace/]resource[.group][/subresource] [name]`, or `verb /path`; by jane, who is in `dev` and `ops`. */
function attributes(request: string): AuthorizationAttributes {
  const [verb = "", what = "", name = ""] = request.split(" ");
  const isPath = what.startsWith("/");
  const [namespace = "", kind = ""] = what.includes(":") ? what.split(":") : ["", what];
  const [qualified = "", subresource = ""] = kind.split("/");
  const [resource = "", ...group] = qualified.split(".");
  return {
    user: { name: "jane", groups: ["dev", "ops"] },
    verb,
    isResourceRequest: !isPath,
    path: isPath ? what : "",
    group: isPath ? "" : group.join("."),
    version: "v1",
    resource: isPath ? "" : resource,
    subresource: isPath ? "" : subresource,
    namespace,
    name,
  };
}
const of = (resources: readonly string[], more: object = {}) => ({ resources: [{ group: "", resources, ...more }] });
const at = (...nonResourceURLs: readonly string[]) => ({ nonResourceURLs });

/** @see apiserver pkg/audit/policy checker.go ruleMatches */
it.each<[object, string, boolean]>([
  [{}, "get ns:pods p", true],
  [{}, "get /healthz", true],
  [{ users: ["jane"] }, "get ns:pods p", true],
  [{ users: ["bob", "jane"] }, "get ns:pods p", true],
  [{ users: ["bob"] }, "get ns:pods p", false],
  [{ userGroups: ["ops"] }, "get ns:pods p", true],
  [{ userGroups: ["qa"] }, "get ns:pods p", false],
  [{ users: ["jane"], userGroups: ["qa"] }, "get ns:pods p", false],
  [{ users: ["bob"], userGroups: ["dev"] }, "get ns:pods p", false],
  [{ verbs: ["get"] }, "get ns:pods p", true],
  [{ verbs: ["get"] }, "list ns:pods", false],
  [{ verbs: ["get"] }, "get /healthz", true],

  [{ namespaces: ["ns"] }, "get ns:pods p", true],
  [{ namespaces: ["ns"] }, "get other:pods p", false],
  [{ namespaces: [""] }, "get nodes n", true],
  [{ namespaces: [""] }, "get ns:pods p", false],
  [{ namespaces: [""] }, "get /healthz", false],
  [{ namespaces: ["ns"], ...of(["pods"]) }, "get ns:pods p", true],
  [{ namespaces: ["ns"], ...of(["pods"]) }, "get ns:services p", false],
  [{ namespaces: ["ns"], ...of(["pods"]) }, "get other:pods p", false],

  [of([]), "get ns:pods/log p", true],
  [of([]), "get ns:deployments.apps d", false],
  [of([]), "get /healthz", false],
  [of([], { group: "apps" }), "get ns:deployments.apps d", true],
  [of([], { group: "apps" }), "get ns:pods p", false],
  [of([], { group: "*" }), "get ns:deployments.apps d", true],
  [of([], { group: "*" }), "get ns:pods p", true],
  [of(["deployments"], { group: "*" }), "get ns:pods p", false],
  [of(["pods"]), "get ns:pods p", true],
  [of(["services", "pods"]), "get ns:pods p", true],
  [of(["pods"]), "get ns:pods/log p", false],
  [of(["pods/log"]), "get ns:pods/log p", true],
  [of(["pods/log"]), "get ns:pods p", false],
  [of(["pods/*"]), "get ns:pods/log p", true],
  [of(["pods/*"]), "get ns:pods p", true],
  [of(["pods/*"]), "get ns:services/status p", false],
  [of(["*/status"]), "get ns:pods/status p", true],
  [of(["*/status"]), "get ns:pods/log p", false],
  [of(["*/status"]), "get ns:pods p", false],
  [of(["*/"]), "get ns:pods p", false],
  [of(["*"]), "get ns:pods/log p", true],
  [of(["pods"], { resourceNames: ["p"] }), "get ns:pods p", true],
  [of(["pods"], { resourceNames: ["q"] }), "get ns:pods p", false],
  [of(["pods"], { resourceNames: ["q"] }), "list ns:pods", false],
  [{ resources: [{ group: "apps" }, { resources: ["pods"] }] }, "get ns:pods p", true],

  [at("/healthz"), "get /healthz", true],
  [at("/healthz"), "get /healthz/etcd", false],
  [at("/livez", "/healthz"), "get /healthz", true],
  [at("/healthz*"), "get /healthz/etcd", true],
  [at("/healthz*"), "get /healthz", true],
  [at("/healthz/*"), "get /healthz/etcd", true],
  [at("/healthz/*"), "get /healthz", false],
  [at("*"), "get /anything", true],
  [at("*"), "get ns:pods p", false],
])("%j matches %s: %j", (rule, request, expected) => {
  expect(policyOf(rule).decide(attributes(request)).level).toBe(expected ? "Metadata" : "None");
});

it("the first rule that matches decides", () => {
  const policy = parse({
    rules: [
      { level: "None", verbs: ["watch"] },
      { level: "RequestResponse", namespaces: ["ns"] },
      { level: "Request", omitStages: ["Panic"] },
    ],
  });
  const levels = ["watch ns:pods", "get ns:pods p", "get /api"].map((each) => policy.decide(attributes(each)).level);
  expect(levels).toEqual(["None", "RequestResponse", "Request"]);
  expect(AuditPolicy.metadata.decide(attributes("get /api"))).toEqual({
    level: "Metadata",
    omitStages: new Set(),
    omitManagedFields: false,
  });
});

it("omits stages that the policy or the rule names", () => {
  const more = { omitStages: ["RequestReceived"] };
  const [received, started] = ["RequestReceived", "ResponseStarted"];
  const stages = (policy: AuditPolicy) => [...policy.decide(attributes("get /api")).omitStages];
  expect(stages(policyOf({ omitStages: ["ResponseStarted"] }, more))).toEqual([received, started]);
  expect(stages(policyOf({}, more))).toEqual([received]);
  expect(stages(policyOf({ verbs: ["list"], omitStages: ["Panic"] }, more))).toEqual([received]);
});

it.each<[boolean | undefined, boolean | undefined, boolean]>([
  [undefined, undefined, false],
  [true, undefined, true],
  [true, false, false],
  [false, true, true],
  [undefined, true, true],
])("omits managed fields by the policy (%j) unless the rule overrides it (%j): %j", (ofPolicy, ofRule, expected) => {
  const policy = policyOf({ omitManagedFields: ofRule }, { omitManagedFields: ofPolicy });
  expect(policy.decide(attributes("get /api")).omitManagedFields).toBe(expected);
});

const levels = '"None", "Metadata", "Request", "RequestResponse"';
/** @see apiserver pkg/apis/audit/validation ValidatePolicy */
it.each<[object, string]>([
  [{ apiVersion: "audit.k8s.io/v1beta1" }, "expected an object of apiVersion"],
  [{ kind: "Rule" }, "expected an object of apiVersion"],
  [{}, "rules: loaded illegal policy with 0 rules"],
  [{ rules: [] }, "rules: loaded illegal policy with 0 rules"],
  [{ rules: ["x"] }, "rules[0]: expected an object"],
  [{ rules: [{}] }, "rules[0].level: Required value"],
  [{ rules: [{ level: "metadata" }] }, `rules[0].level: Unsupported value: "metadata": supported values: ${levels}`],
  [{ rules: [{ level: "None", users: "jane" }] }, "rules[0].users: expected a list of strings"],
  [{ rules: [{ level: "None", verbs: [1] }] }, "rules[0].verbs: expected a list of strings"],
  [
    { rules: [{ level: "None", nonResourceURLs: ["healthz"] }] },
    "rules[0].nonResourceURLs[0]: Invalid value: \"healthz\": non-resource URL rules must begin with a '/' character",
  ],
  [
    { rules: [{ level: "None", nonResourceURLs: ["/a", "/*/b"] }] },
    "rules[0].nonResourceURLs[1]: Invalid value: \"/*/b\": non-resource URL wildcards '*' must be the final character of the rule",
  ],
  [
    { rules: [{ level: "None", nonResourceURLs: ["/**"] }] },
    "rules[0].nonResourceURLs[0]: Invalid value: \"/**\": non-resource URL wildcards '*' must be the final character of the rule",
  ],
  [
    { rules: [{ level: "None", nonResourceURLs: ["/a"], namespaces: ["ns"] }] },
    "rules[0].nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs",
  ],
  [
    { rules: [{ level: "None", nonResourceURLs: ["/a"], resources: [{}] }] },
    "rules[0].nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs",
  ],
  [
    { rules: [{ level: "None", resources: [{ resourceNames: ["p"] }] }] },
    "rules[0].resources[0].resourceNames: using resourceNames requires at least one resource",
  ],
  [{ rules: [{ level: "None", resources: ["pods"] }] }, "rules[0].resources[0]: expected an object"],
  [
    { rules: [{ level: "None", resources: [{ group: "apps/v1" }] }] },
    'rules[0].resources[0].group: Invalid value: "apps/v1": a lowercase RFC 1123 subdomain',
  ],
  [
    { rules: [{ level: "None" }], omitStages: ["Panic", "Received"] },
    'omitStages[1]: Invalid value: "Received": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
  ],
  [{ rules: [{ level: "None", omitStages: ["x"] }] }, 'rules[0].omitStages[0]: Invalid value: "x": allowed stages'],
])("refuses a policy: %j", (policy, message) => {
  expect(() => parse(policy)).toThrow(`audit policy: ${message}`);
});

it("allows every stage to be omitted, and every field of a rule to be null", () => {
  const omitStages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];
  expect([...policyOf({ omitStages, users: null, resources: null }).decide(attributes("get /a")).omitStages]).toEqual(
    omitStages,
  );
});
