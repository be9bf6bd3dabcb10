import { CelError } from "@kubewright/cel";
import { expect, it } from "vitest";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { AdmissionAttributes } from "../admission.ts";
import { authorizationOf, type CompiledExpression, Evaluation } from "./evaluation.ts";
import type { Compiled } from "./expression-scope.ts";

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

/** An expression that costs so much. */
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
  [[10_000_000], false],
  [[10_000_001], true],
  [[9_999_999, 1], false],
  [[9_999_999, 2], true],
  [[1, 1, 1], false],
  [[], false],
])("a policy's expressions that cost %j together have spent what they may: %s", (costs, isExhausted) => {
  const one = evaluation();
  for (const cost of costs) expect(one.evaluate(costing(cost))).toEqual({ value: true });
  expect(one.isExhausted).toBe(isExhausted);
  expect(limits.every((limit) => limit === 1_000_000)).toBe(true);
});

it("an expression that fails costs, too, and is named", () => {
  const one = evaluation();
  const failed = one.evaluate(costing(10_000_001, new CelError("no such key: x")));
  expect(failed).toEqual({ error: "expression 'costs 10000001' resulted in error: no such key: x" });
  expect(one.isExhausted).toBe(true);
  const uncompiled = { expression: "x", compiled: { error: "undeclared reference" } as unknown as Compiled };
  expect(one.evaluate(uncompiled)).toEqual({ error: "compilation error: undeclared reference" });
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
])("asks whether whoever asks may: %s", async (_what, check, asked) => {
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
] as const)("takes %s for an answer: %s", async (decision, allowed) => {
  const ask = authorizationOf(() => ({ decision }), attributes);
  expect(await ask({ verb: "get", serviceAccount: { namespace: "ns", name: "sa" } } as never)).toEqual({
    allowed,
    reason: "",
  });
});

it("asks for a service account as that account, and says what went wrong", async () => {
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
