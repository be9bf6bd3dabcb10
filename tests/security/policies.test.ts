import { afterAll, beforeAll, expect, it } from "vitest";
import { AttackedPlane } from "./attacked-plane.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const inNamespace = (name: string): string => `/api/v1/namespaces/${name}/configmaps`;
const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["configmaps"] }];
const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, ""]));

let plane: AttackedPlane;
beforeAll(async () => {
  plane = await AttackedPlane.start();
});
afterAll(() => plane.stop());

/** Creates a policy about config maps and its binding; they are in force once they are stored. */
async function bind(kind: "validating" | "mutating", policy: object, binding: object): Promise<void> {
  for (const [path, spec] of [
    [`${group}/${kind}admissionpolicies`, { matchConstraints: { resourceRules }, ...policy }],
    [`${group}/${kind}admissionpolicybindings`, { policyName: kind, ...binding }],
  ] as const) {
    const { status, text } = await plane.call("POST", path, { metadata: { name: kind }, spec });
    expect([status, text]).toEqual([201, expect.anything()]);
  }
}

/** Users who may write config maps determine the number of parameters: each costs a tenth of a second, which blocked other requests. */
it("others are served while a policy is evaluated with each of its parameters", async () => {
  await bind(
    "validating",
    {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "object.data.all(k, object.data.size() > 0 && object.data[k] == '')" }],
    },
    {
      validationActions: ["Deny"],
      paramRef: { selector: {}, parameterNotFoundAction: "Allow" },
    },
  );
  const configMaps = inNamespace("default");
  for (let i = 0; i < 30; i++) await plane.call("POST", configMaps, { metadata: { name: `p${i}` } });
  await plane.call("POST", configMaps, { metadata: { name: "x" }, data: keys(60_000) });
  const answer = await plane.attack("PUT", `${configMaps}/x`, { metadata: { name: "x" }, data: keys(59_000) });
  expect(answer.status).toBe(200);
  expect(answer.worstWaitMs).toBeLessThan(3_000);
}, 120_000); // 6 s of computing, and the machine may be busy

/** A list with one list repeated once per item: four hundred million values. */
it("a mutation produces no more than can be stored", async () => {
  const value = "[object.data.map(k, k)].map(l, l.map(k, l))[0]";
  await bind(
    "mutating",
    {
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      mutations: [
        { patchType: "JSONPatch", jsonPatch: { expression: `[JSONPatch{op: "add", path: "/data", value: ${value}}]` } },
      ],
    },
    {},
  );
  const configMaps = inNamespace("kube-public");
  await plane.call("POST", configMaps, { metadata: { name: "y" } });
  const answer = await plane.attack("PUT", `${configMaps}/y`, { metadata: { name: "y" }, data: keys(20_000) });
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("actual cost limit exceeded")]);
  expect(answer.worstWaitMs).toBeLessThan(3_000);
});
