import { isStatusError } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { labelled } from "../testing/attributes.ts";
import { bindingOf, outcomeOf, partsWith, policyOf } from "../testing/policies.ts";
import type { AdmissionPolicyBinding, PolicySpec } from "./policy-types.ts";
import { validatingAdmissionPolicy } from "./validating-policy.ts";

const messageOf = (refusal: unknown): string =>
  isStatusError(refusal) ? `${refusal.code} ${refusal.reason}: ${refusal.message}` : String(refusal);
const object = labelled({ stage: "prod" });

async function ask(spec: PolicySpec, binding: AdmissionPolicyBinding["spec"] = {}, more: object = {}) {
  const plugin = validatingAdmissionPolicy(partsWith([policyOf(spec)], [bindingOf(binding)]));
  const { refusal, ...rest } = await outcomeOf(plugin, { object, ...more });
  return { refusal: refusal === undefined ? undefined : messageOf(refusal), ...rest };
}
const by = "ValidatingAdmissionPolicy 'p' with binding 'b'";
const refused = (code: number, reason: string, why: string): string =>
  `${code} ${reason}: pods "web" is forbidden: ${by} denied request: ${why}`;

/** @see apiserver pkg/admission/plugin/policy/validating dispatcher.go, validator.go */
describe("a validation", () => {
  it.each<[string, PolicySpec, string | undefined]>([
    ["that holds lets the request go on", { validations: [{ expression: "true" }] }, undefined],
    [
      "that does not refuses it",
      { validations: [{ expression: "false" }] },
      refused(422, "Invalid", "failed expression: false"),
    ],
    [
      "has the configured message",
      { validations: [{ expression: "1 > 2", message: " no \n" }] },
      refused(422, "Invalid", "no"),
    ],
    [
      "prefers the message expression",
      { validations: [{ expression: "false", message: "no", messageExpression: "'never ' + object.metadata.name" }] },
      refused(422, "Invalid", "never x"),
    ],
    ...["''", "' '", "'a\\nb'", "object.nothing", `'${"x".repeat(5 * 1024 + 1)}'`].map(
      (messageExpression): [string, PolicySpec, string] => [
        `says the fixed text where ${messageExpression.slice(0, 20)} makes none`,
        { validations: [{ expression: "false", message: "no", messageExpression }] },
        refused(422, "Invalid", "no"),
      ],
    ),
    [
      "may make a text of five kilobytes",
      { validations: [{ expression: "false", messageExpression: `'${"x".repeat(5 * 1024)}'` }] },
      refused(422, "Invalid", "x".repeat(5 * 1024)),
    ],
    [
      "rejects with its own reason",
      { validations: [{ expression: "false", reason: "Forbidden" }] },
      refused(403, "Forbidden", "failed expression: false"),
    ],
    [
      "rejects unauthenticated users",
      { validations: [{ expression: "false", reason: "Unauthorized" }] },
      refused(401, "Unauthorized", "failed expression: false"),
    ],
    [
      "rejects with RequestEntityTooLarge",
      { validations: [{ expression: "false", reason: "RequestEntityTooLarge" }] },
      refused(413, "RequestEntityTooLarge", "failed expression: false"),
    ],
    [
      "is followed by the next, and the first failure is reported",
      { validations: [{ expression: "true" }, { expression: "false", message: "b" }, { expression: "false" }] },
      refused(422, "Invalid", "b"),
    ],
    [
      "that cannot be evaluated refuses",
      { validations: [{ expression: "object.nothing == 1" }] },
      refused(422, "Invalid", "expression 'object.nothing == 1' resulted in error: no such key: nothing"),
    ],
    [
      "that cannot be evaluated is skipped if the policy permits it",
      { failurePolicy: "Ignore", validations: [{ expression: "object.nothing == 1" }] },
      undefined,
    ],
    [
      "that fails refuses, whatever the failure policy",
      { failurePolicy: "Ignore", validations: [{ expression: "false" }] },
      refused(422, "Invalid", "failed expression: false"),
    ],
    ["sees the namespace", { validations: [{ expression: "namespaceObject.metadata.labels.team == 'a'" }] }, undefined],
    [
      "checks the user's permissions",
      {
        validations: [
          { expression: "authorizer.group('').resource('pods').check('get').allowed()" },
          { expression: "!authorizer.group('').resource('pods').check('delete').allowed()" },
        ],
      },
      undefined,
    ],
    [
      "uses variables, also in those that follow",
      {
        variables: [
          { name: "stage", expression: "object.metadata.labels.stage" },
          { name: "isProd", expression: "variables.stage == 'prod'" },
        ],
        validations: [{ expression: "variables.isProd" }],
      },
      undefined,
    ],
  ])("%s", async (_what, spec, refusal) => {
    expect((await ask(spec)).refusal).toBe(refusal);
  });

  it("ignores requests for admission configurations", async () => {
    const resource = { group: "admissionregistration.k8s.io", version: "v1", resource: "validatingadmissionpolicies" };
    expect((await ask({ validations: [{ expression: "false" }] }, {}, { resource })).refusal).toBeUndefined();
  });

  it("has no namespace for a Namespace", async () => {
    const kind = { group: "", version: "v1", kind: "Namespace" };
    const spec = { validations: [{ expression: "namespaceObject == null" }] };
    expect((await ask(spec, {}, { kind, namespace: "default" })).refusal).toBeUndefined();
    expect((await ask(spec, {}, { namespace: "" })).refusal).toBeUndefined();
    expect((await ask(spec)).refusal).toContain("failed expression");
    for (const other of [{ version: "v2" }, { group: "g" }, { kind: "Pod" }])
      expect((await ask(spec, {}, { kind: { ...kind, ...other }, namespace: "default" })).refusal).toBeDefined();
  });
});

describe("match conditions", () => {
  const validations = [{ expression: "false" }];
  const when = (...expressions: string[]) => ({
    validations,
    matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
  });

  it.each<[string, PolicySpec, boolean]>([
    ["that hold", when("true", "object.metadata.name == 'x'"), true],
    ["of which one does not hold", when("true", "false"), false],
    ["of which one does not hold, and another fails", when("object.nothing == 1", "false"), false],
    ["that fail", when("object.nothing == 1"), true],
    ["that fail, with failures ignored", { ...when("object.nothing == 1"), failurePolicy: "Ignore" }, false],
  ])("%s", async (_what, spec, isRefused) => {
    expect((await ask(spec)).refusal !== undefined).toBe(isRefused);
  });

  it("are reported if they fail", async () => {
    expect((await ask(when("object.nothing == 1"))).refusal).toBe(
      refused(422, "Invalid", "expression 'object.nothing == 1' resulted in error: no such key: nothing"),
    );
  });
});

describe("a binding's actions", () => {
  const validations = [{ expression: "true" }, { expression: "false", message: "no" }];
  const failure = {
    message: "no",
    policy: "p",
    binding: "b",
    expressionIndex: 0,
    validationActions: ["Audit"],
  };

  it.each<[string[], Awaited<ReturnType<typeof ask>>]>([
    [["Warn"], { refusal: undefined, warnings: [`Validation failed for ${by}: no`], notes: {} }],
    [
      ["Audit"],
      {
        refusal: undefined,
        warnings: [],
        notes: { "validation.policy.admission.k8s.io/validation_failure": JSON.stringify([failure]) },
      },
    ],
    [
      ["Deny", "Warn"],
      { refusal: refused(422, "Invalid", "no"), warnings: [`Validation failed for ${by}: no`], notes: {} },
    ],
    [[], { refusal: undefined, warnings: [], notes: {} }],
  ])("%j", async (validationActions, outcome) => {
    expect(await ask({ validations }, { validationActions })).toEqual(outcome);
  });
});

describe("audit annotations", () => {
  const noting = (valueExpression: string, more: PolicySpec = {}) =>
    ask({ auditAnnotations: [{ key: "k", valueExpression }], ...more }, { validationActions: ["Warn"] });

  it.each<[string, Record<string, string>]>([
    ["' a '", { "p/k": "a" }],
    ["' '", {}],
    ["null", {}],
    [`'${"x".repeat(10 * 1024 + 1)}'`, { "p/k": "x".repeat(10 * 1024) }],
  ])("%.20s", async (expression, notes) => {
    expect(await noting(expression)).toEqual({ refusal: undefined, warnings: [], notes });
  });

  it("reject if they fail, whatever the binding's actions are, unless failures are ignored", async () => {
    expect((await noting("string(object.nothing)")).refusal).toBe(
      refused(422, "Invalid", "expression 'string(object.nothing)' resulted in error: no such key: nothing"),
    );
    expect((await noting("string(object.nothing)", { failurePolicy: "Ignore" })).refusal).toBeUndefined();
  });
});

describe("a policy that cannot be evaluated", () => {
  const spec = { paramKind: { apiVersion: "v1", kind: "Gone" }, validations: [{ expression: "true" }] };

  it("rejects, unless failures are ignored", async () => {
    expect((await ask(spec)).refusal).toMatch(
      /^422 Invalid: .*'p' denied request: failed to configure policy: failed to find resource referenced by paramKind/,
    );
    expect((await ask({ ...spec, failurePolicy: "Ignore" })).refusal).toBeUndefined();
  });

  it("has no effect without a binding", async () => {
    expect((await ask(spec, { policyName: "other" })).refusal).toBeUndefined();
  });

  it("has no effect if its binding does not match", async () => {
    const resourceRules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["nodes"] }];
    const validations = [{ expression: "false" }];
    expect((await ask({ validations }, { matchResources: { resourceRules } })).refusal).toBeUndefined();
    expect((await ask({ validations, matchConstraints: { resourceRules } })).refusal).toBeUndefined();
  });
});

it("evaluates no more than a policy's budget allows", async () => {
  const size = 3_000;
  const wide = labelled({}, { finalizers: Array.from({ length: size }, (_, i) => `f${i}`) });
  const expression = "object.metadata.finalizers.all(a, object.metadata.finalizers.all(b, a.size() + b.size() > 0))";
  const { refusal } = await ask({ validations: [{ expression }] }, {}, { object: wide });
  expect(refusal).toMatch(/cost|budget/);
  const ignored = await ask({ failurePolicy: "Ignore", validations: [{ expression }] }, {}, { object: wide });
  expect(ignored.refusal).toBeUndefined();
});

it("gives the validations a budget of their own, separate from the conditions'", async () => {
  const wide = labelled({}, { finalizers: Array.from({ length: 250 }, (_, i) => `f${i}`) });
  const expression = "object.metadata.finalizers.all(a, object.metadata.finalizers.all(b, a != 'x' || b != 'x'))";
  const times = (count: number) => ({ validations: Array.from({ length: count }, () => ({ expression })) });
  expect((await ask(times(8), {}, { object: wide })).refusal).toBeUndefined();
  expect((await ask(times(60), {}, { object: wide })).refusal).toMatch(/budget/);
  const conditions = (count: number) => ({
    matchConditions: times(count).validations,
    validations: [{ expression: "true" }],
  });
  expect((await ask(conditions(1), {}, { object: wide })).refusal).toBeUndefined();
  expect((await ask(conditions(15), {}, { object: wide })).refusal).toMatch(/budget/);
});
