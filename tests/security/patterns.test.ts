import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AttackedPlane } from "./attacked-plane.ts";

// Users who may create CRDs or policies supply regular expressions, and users who write objects supply the texts. With a backtracking
// engine, 41 characters were enough to block the server.
const maxWaitMs = 5_000;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "/apis/patterns.example.com/v1/namespaces/default/things";
const patterns: Readonly<Record<string, string>> = {
  plus: "^(a+)+$",
  either: "^(a|a)*b$",
  anything: "(.*)*(.*)*x",
  mail: "^([a-zA-Z0-9_\\.\\-])+@(([a-zA-Z0-9\\-])+\\.)+([a-zA-Z0-9]{2,4})+$",
  many: `^${"[a-z]*".repeat(10)}!$`,
};
let plane: AttackedPlane;

const definition = (properties: Record<string, unknown>, name = "thing") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}s.patterns.example.com` },
  spec: {
    group: "patterns.example.com",
    scope: "Namespaced",
    names: { plural: `${name}s`, singular: name, kind: name },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties,
                "x-kubernetes-validations": [{ rule: "!has(self.p) || self.t.matches(self.p)" }],
              },
            },
          },
        },
      },
    ],
  },
});
const bounded = { type: "string", maxLength: 1_000 };

beforeAll(async () => {
  plane = await AttackedPlane.start();
  const properties = Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => [name, { type: "string", pattern }]),
  );
  const made = await plane.call("POST", definitions, definition({ ...properties, t: bounded, p: bounded }));
  expect(made.status, made.text).toBe(201);
  await plane.untilThere(things);
});
afterAll(() => plane.stop());

const thing = (spec: Record<string, unknown>) => ({
  apiVersion: "patterns.example.com/v1",
  kind: "thing",
  metadata: { generateName: "x-" },
  spec,
});

describe("a pattern in a CRD delays nobody", () => {
  it.each([
    ["plus", `${"a".repeat(40)}!`],
    ["plus", `${"a".repeat(500_000)}!`],
    ["either", "a".repeat(40)],
    ["anything", "a".repeat(3_000)],
    ["mail", `a@${"a".repeat(60)}!`],
    ["many", "a".repeat(2_000)],
  ])("%s", async (name, text) => {
    const { status, body, worstWaitMs } = await plane.attack("POST", things, thing({ [name]: text }));
    expect(status).toBe(422);
    expect(body.message).toContain("should match");
    expect(worstWaitMs).toBeLessThan(maxWaitMs);
  });

  it.each([
    ["((a{1000}){1000}){1000}", "invalid repeat count: `{1000}`"],
    ["(?:a{1000}|b{1000})".repeat(1_000), "expression too large"],
    [`${"(".repeat(5_000)}a${")".repeat(5_000)}`, "expression nests too deeply"],
    ["[a", "missing closing ]: `[a`"],
  ])("a pattern that is too large is refused: %.40s", async (pattern, message) => {
    const body = definition({ a: { type: "string", pattern }, t: bounded, p: bounded }, "large");
    const answer = await plane.attack("POST", definitions, body);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(message);
    expect(answer.worstWaitMs).toBeLessThan(maxWaitMs);
  });
});

it("an expression in an object delays nobody", async () => {
  const spec = { t: `${"a".repeat(40)}!`, p: "^(a+)+$" };
  const { status, worstWaitMs } = await plane.attack("POST", things, thing(spec));
  expect(status).toBe(422);
  expect(worstWaitMs).toBeLessThan(maxWaitMs);
});

it("an expression in an admission policy delays nobody", async () => {
  const group = "/apis/admissionregistration.k8s.io/v1";
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
  const policy = {
    metadata: { name: "p" },
    spec: {
      matchConstraints: { resourceRules: rules },
      validations: [
        { expression: "object.data.a.matches('^(a+)+$')" },
        { expression: "object.data.a.find('(a|a)*b') == ''" },
        { expression: "size(object.data.a.findAll('(a*)*b')) == 0" },
      ],
    },
  };
  await plane.call("POST", `${group}/validatingadmissionpolicies`, policy);
  const binding = { metadata: { name: "p" }, spec: { policyName: "p", validationActions: ["Deny"] } };
  await plane.call("POST", `${group}/validatingadmissionpolicybindings`, binding);
  const attack = () =>
    plane.attack("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { generateName: "x" },
      data: { a: `${"a".repeat(40)}!` },
    });
  const deadline = performance.now() + 10_000;
  let answer = await attack();
  for (; answer.status === 201 && performance.now() < deadline; answer = await attack()) await sleep(200);
  expect(answer.status).toBe(422);
  expect(answer.worstWaitMs).toBeLessThan(maxWaitMs);
});
