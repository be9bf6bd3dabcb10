import { isStatusError, type Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { Reinvocation } from "../reinvocation.ts";
import { bindingOf, outcomeOf, partsWith, policyOf } from "../testing/policies.ts";
import { mutatingAdmissionPolicy } from "./mutating-policy.ts";
import type { Mutation, PolicySpec } from "./policy-types.ts";

const kind = { group: "", version: "v1", kind: "ConfigMap" };
const configMap = (): Unstructured => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c" },
  data: { a: "1" },
});
const patch = (expression: string): Mutation => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const apply = (expression: string): Mutation => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const adding = (key: string, value = "'2'"): Mutation =>
  patch(`[JSONPatch{op: "add", path: "/data/${key}", value: ${value}}]`);

async function ask(spec: PolicySpec, more: object = {}) {
  const plugin = mutatingAdmissionPolicy(partsWith([policyOf(spec)], [bindingOf()]));
  const object = configMap();
  const { refusal } = await outcomeOf(plugin, { object, kind, ...more });
  if (refusal === undefined || !isStatusError(refusal)) return { refusal, data: object.data };
  return { refusal: `${refusal.code} ${refusal.reason}: ${refusal.message}`, data: object.data };
}
const refused = (why: string): string => `403 Invalid: policy 'p' with binding 'b' denied request: ${why}`;

/** @see apiserver pkg/admission/plugin/policy/mutating dispatcher.go, patch/json_patch.go, patch/smd.go */
describe("a mutation", () => {
  it.each<[string, PolicySpec, object]>([
    ["adds", { mutations: [adding("b")] }, { a: "1", b: "2" }],
    [
      "is followed by the next one, which sees its result",
      { mutations: [adding("b"), adding("c", "object.data.b + 'x'")] },
      { a: "1", b: "2", c: "2x" },
    ],
    ["copies", { mutations: [patch('[JSONPatch{op: "copy", from: "/data/a", path: "/data/b"}]')] }, { a: "1", b: "1" }],
    ["moves", { mutations: [patch('[JSONPatch{op: "move", from: "/data/a", path: "/data/b"}]')] }, { b: "1" }],
    [
      "does nothing if its test fails",
      {
        mutations: [
          patch('[JSONPatch{op: "test", path: "/data/a", value: "2"}, JSONPatch{op: "remove", path: "/data/a"}]'),
        ],
      },
      { a: "1" },
    ],
    [
      "removes a value if a test passes",
      {
        mutations: [
          patch(
            '[JSONPatch{op: "test", path: "/data/a", value: "1"}, JSONPatch{op: "remove", path: "/data/a"}, JSONPatch{op: "add", path: "/data/b", value: ""}]',
          ),
        ],
      },
      { b: "" },
    ],
    ["has no steps", { mutations: [patch('[JSONPatch{op: "remove", path: "/data"}].filter(p, false)')] }, { a: "1" }],
    ["merges a configuration", { mutations: [apply('Object{data: {"b": "2"}}')] }, { a: "1", b: "2" }],
    [
      "is skipped if the conditions do not hold",
      { mutations: [adding("b")], matchConditions: [{ expression: "false" }] },
      { a: "1" },
    ],
    [
      "is applied if they hold",
      { mutations: [adding("b")], matchConditions: [{ expression: "has(object.data)" }] },
      { a: "1", b: "2" },
    ],
    [
      "uses variables",
      { variables: [{ name: "v", expression: "object.data.a" }], mutations: [adding("b", "variables.v")] },
      { a: "1", b: "1" },
    ],
  ])("%s", async (_what, spec, data) => {
    expect(await ask(spec)).toEqual({ refusal: undefined, data });
  });

  it.each<[string, PolicySpec, string]>([
    ["has an invalid path", { mutations: [patch('[JSONPatch{op: "remove", path: "/data/z"}]')] }, "JSON Patch: "],
    ["fails", { mutations: [adding("b", "object.data.z")] }, "no such key: z"],
    ["is not a mutation", { mutations: [patch("1")] }, "must evaluate to list(JSONPatch) but got int"],
    [
      "is of a wrong type",
      { mutations: [apply('Object{data: "x"}')] },
      "error applying patch: failed to convert patch object to typed object: .data: expected map, got string",
    ],
    [
      "cannot be judged",
      { mutations: [adding("b")], matchConditions: [{ expression: "object.z == 1" }] },
      "no such key: z",
    ],
  ])("%s: fails, unless failures are ignored", async (_what, spec, why) => {
    const { refusal, data } = await ask(spec);
    expect(refusal).toContain(refused(""));
    expect(refusal).toContain(why);
    expect(data).toEqual({ a: "1" });
    expect(await ask({ ...spec, failurePolicy: "Ignore" })).toEqual({ refusal: undefined, data: { a: "1" } });
  });

  it("does not replace a list as a whole", async () => {
    const expression = 'Object{metadata: Object.metadata{finalizers: ["x"]}, immutable: true}';
    expect((await ask({ mutations: [apply(expression)] })).refusal).toBeUndefined();
  });

  const service = { group: "", version: "v1", kind: "Service" };
  const endpoints = { group: "", version: "v1", kind: "Endpoints" };
  const pod = { group: "", version: "v1", kind: "Pod" };
  it.each<[string, object, string, string]>([
    ["a map", service, 'Object{spec: Object.spec{selector: {"a": "b"}}}', ".spec.selector"],
    ["a list", endpoints, "Object{subsets: []}", ".subsets"],
    [
      "the content of a list item",
      pod,
      'Object{spec: Object.spec{containers: [Object.spec.containers{name: "c", command: ["x"]}]}}',
      ".spec.containers[0].command",
    ],
    [
      "several things, each named",
      pod,
      'Object{spec: Object.spec{nodeSelector: {"a": "b"}, containers: [Object.spec.containers{name: "c", args: ["x"]}]}}',
      ".spec.nodeSelector",
    ],
  ])("does not replace %s", async (_what, of, expression, path) => {
    const { refusal } = await ask({ mutations: [apply(expression)] }, { kind: of });
    expect(refusal).toContain("may not mutate atomic arrays, maps or structs: ");
    expect(refusal).toContain(path);
  });

  it("cannot change the type", async () => {
    const typed = apply('Object{apiVersion: "v2", kind: "Secret", data: {"b": "2"}}');
    expect(await ask({ mutations: [typed] })).toEqual({ refusal: undefined, data: { a: "1", b: "2" } });
  });

  it("does nothing without an object", async () => {
    expect(
      (await ask({ mutations: [adding("b")] }, { operation: "DELETE", object: undefined })).refusal,
    ).toBeUndefined();
  });

  it("ignores admission configurations", async () => {
    const resource = { group: "admissionregistration.k8s.io", version: "v1", resource: "mutatingadmissionpolicies" };
    expect((await ask({ mutations: [adding("b")] }, { resource })).data).toEqual({ a: "1" });
  });
});

it("a misconfigured policy rejects without a reason of the object's, unless failures are ignored", async () => {
  const spec = { paramKind: { apiVersion: "v1", kind: "Gone" }, mutations: [adding("b")] };
  expect((await ask(spec)).refusal).toMatch(/^403 Forbidden: policy "p" denied request: failed to configure policy: /);
  expect((await ask({ ...spec, failurePolicy: "Ignore" })).refusal).toBeUndefined();
});

describe("a policy is called again", () => {
  const counting: Mutation = adding("n", "has(object.data.n) ? object.data.n + 'x' : 'x'");
  const named = (name: string, spec: PolicySpec) => policyOf(spec, name);
  async function twice(first: PolicySpec, second: PolicySpec) {
    const policies = [named("p", first), named("q", second)];
    const bindings = [bindingOf(), bindingOf({ policyName: "q" }, "c")];
    const plugin = mutatingAdmissionPolicy(partsWith(policies, bindings));
    const [object, reinvocation] = [configMap(), new Reinvocation()];
    await outcomeOf(plugin, { object, kind }, reinvocation);
    const isWanted = reinvocation.isWanted;
    reinvocation.begin();
    await outcomeOf(plugin, { object, kind }, reinvocation);
    return { isWanted, n: object.data && (object.data as { n?: string }).n };
  }
  const idle = patch('[JSONPatch{op: "test", path: "/data/a", value: "1"}]');

  it.each<[string, PolicySpec, PolicySpec, object]>([
    [
      "if it allows that and a later one changed the object",
      { mutations: [counting], reinvocationPolicy: "IfNeeded" },
      { mutations: [adding("b")] },
      { isWanted: true, n: "xx" },
    ],
    [
      "not if it does not",
      { mutations: [counting], reinvocationPolicy: "Never" },
      { mutations: [adding("b")] },
      { isWanted: true, n: "x" },
    ],
    [
      "not if the object was not changed after it",
      { mutations: [counting], reinvocationPolicy: "IfNeeded" },
      { mutations: [idle] },
      { isWanted: true, n: "x" },
    ],
    [
      "not if the object was not changed at all",
      { mutations: [idle] },
      { mutations: [idle] },
      { isWanted: false, n: undefined },
    ],
  ])("%s", async (_what, first, second, outcome) => {
    expect(await twice(first, second)).toEqual(outcome);
  });
});
