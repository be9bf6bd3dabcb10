import { CelError, celType } from "@kubewright/cel";
import { expect, it } from "vitest";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { AdmissionAttributes } from "../admission.ts";
import { authorizationOf, type CompiledExpression, Evaluation, OutOfBudget } from "./evaluation.ts";
import { type Compiled, ExpressionScope } from "./expression-scope.ts";

const gvk = { group: "", version: "v1", kind: "Pod" };
const attributes: AdmissionAttributes = {
  operation: "CREATE",
  resource: { group: "", version: "v1", resource: "pods" },
  subresource: "",
  kind: gvk,
  namespace: "ns",
  name: "p",
  object: undefined,
  oldObject: undefined,
  options: {},
  dryRun: false,
  user: { name: "jane", groups: ["dev"] },
  warn() {},
};
const limits: unknown[] = [];

/** Returns an expression with this cost. */
const costing = (cost: number, value: unknown = true): CompiledExpression => {
  const evaluate = (_bindings: unknown, { costLimit }: { costLimit: number }) => {
    limits.push(costLimit);
    return { value, cost };
  };
  return { expression: `costs ${cost}`, compiled: { program: { evaluate } } as unknown as Compiled };
};
const evaluation = (): Evaluation => {
  const { resource, kind } = attributes;
  const subject = { attributes, resource, kind, object: undefined, oldObject: undefined };
  return new Evaluation(subject, [], () => ({ allowed: false, reason: "" }));
};

it.each([
  [[10_000_000], 1],
  [[10_000_001, 1], 0],
  [[9_999_999, 1, 1], 2],
  [[9_999_999, 2, 1], 1],
  [[1, 1, 1], 3],
])("evaluates expressions of cost %j as far as the budget allows: %i", (costs, count) => {
  const one = evaluation();
  one.allow(10_000_000);
  const affordable = costs.slice(0, count);
  for (const cost of affordable) expect(one.evaluate(costing(cost))).toEqual({ value: true });
  const next = costs[count];
  if (next !== undefined)
    expect(() => one.evaluate(costing(next))).toThrow(
      "validation failed due to running out of cost budget, no further validation rules will be run",
    );
  expect(limits.every((limit) => limit === 1_000_000)).toBe(true);
});

it("counts and names an expression that fails", () => {
  const one = evaluation();
  one.allow(7);
  const failed = one.evaluate(costing(7, new CelError("no such key: x")));
  expect(failed).toEqual({ error: "expression 'costs 7' resulted in error: no such key: x" });
  expect(() => one.evaluate(costing(1))).toThrow(OutOfBudget);
  const uncompiled = { expression: "x", compiled: { error: "undeclared reference" } as unknown as Compiled };
  expect(one.evaluate(uncompiled)).toEqual({ error: "compilation error: undeclared reference" });
});

it("ends the evaluation of an expression whose variable costs too much", () => {
  const { resource, kind } = attributes;
  const subject = { attributes, resource, kind, object: undefined, oldObject: undefined };
  const scope = new ExpressionScope({});
  const costly = ["a", "b", "c"].map((name) => ({ ...costing(4, 1n), name }));
  for (const { name } of costly) scope.addVariable(name, celType.int);
  const expression = "variables.a + variables.b + variables.c == 3";
  const one = new Evaluation(subject, costly, () => ({ allowed: false, reason: "" }));
  const compiled = scope.compile(expression, [celType.bool]);
  one.allow(8);
  limits.length = 0;
  expect(() => one.evaluate({ expression, compiled })).toThrow(OutOfBudget);
  expect(limits.length).toBe(3);
  one.allow(100);
  expect(one.evaluate({ expression, compiled })).toEqual({ value: true });
});

it.each([
  [{}, { group: "", resource: "pods", namespace: "ns", name: "p" }],
  [{ subresource: "exec" }, { group: "", resource: "pods", subresource: "exec", namespace: "ns", name: "p" }],
  [{ namespace: "" }, { group: "", resource: "pods", name: "p" }],
  [{ name: "" }, { group: "", resource: "pods", namespace: "ns" }],
])("authorizes the request's own resource by the request's names: %j", (more, about) => {
  const asked: unknown[] = [];
  const { resource, kind } = attributes;
  const subject = {
    attributes: { ...attributes, ...more },
    resource,
    kind,
    object: undefined,
    oldObject: undefined,
  };
  const expression = 'authorizer.requestResource.check("get").allowed()';
  const compiled = new ExpressionScope({ authorizer: true }).compile(expression, [celType.bool]);
  const one = new Evaluation(subject, [], (check) => {
    asked.push(check);
    return { allowed: true, reason: "" };
  });
  one.allow(10_000_000);
  expect(one.evaluate({ expression, compiled })).toEqual({ value: true });
  expect(asked).toEqual([{ ...about, verb: "get" }]);
});

it.each<[string, object, object]>([
  [
    "a resource",
    { verb: "get", group: "apps", resource: "deployments", name: "d", namespace: "ns" },
    {
      isResourceRequest: true,
      path: "",
      group: "apps",
      resource: "deployments",
      name: "d",
      namespace: "ns",
      subresource: "",
    },
  ],
  ["a path", { verb: "get", path: "/healthz" }, { isResourceRequest: false, path: "/healthz", resource: "" }],
])("checks the user's permission: %s", async (_what, check, asked) => {
  const questions: unknown[] = [];
  const authorize: Authorizer = (each) => {
    questions.push(each);
    return { decision: "allow", reason: "so" };
  };
  expect(await authorizationOf(authorize, attributes)(check as never)).toEqual({ allowed: true, reason: "so" });
  expect(questions).toMatchObject([{ ...asked, user: attributes.user, verb: "get" }]);
});

it.each([
  ["allow", true],
  ["deny", false],
  ["no opinion", false],
] as const)("accepts %s as an answer: %s", async (decision, allowed) => {
  const ask = authorizationOf(() => ({ decision }), attributes);
  expect(await ask({ verb: "get", serviceAccount: { namespace: "ns", name: "sa" } } as never)).toEqual({
    allowed,
    reason: "",
  });
});

it("checks a service account's permission as that account, and reports errors", async () => {
  const authorize: Authorizer = ({ user }) => {
    throw new Error(`${user.name} of ${user.groups.join()}`);
  };
  const ask = authorizationOf(authorize, attributes);
  expect(await ask({ verb: "get", serviceAccount: { namespace: "ns", name: "sa" } } as never)).toEqual({
    allowed: false,
    reason: "",
    error: "system:serviceaccount:ns:sa of system:serviceaccounts,system:serviceaccounts:ns,system:authenticated",
  });
});
