import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuthorizationAttributes } from "@kubewright/apiserver/authorization";
import { type Responder, TestWebhookServer } from "@kubewright/apiserver/testing";
import { FakeClock } from "@kubewright/clock/testing";
import { MemoryStorage } from "@kubewright/storage";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { authorizationOf } from "./authorization-modes.ts";
import type { AuthorizationOptions } from "./authorization-options.ts";

const folder = mkdtempSync(join(tmpdir(), "modes-"));
const kubeconfig = join(folder, "kubeconfig");
let hook: TestWebhookServer;
let answer: Responder;
beforeAll(async () => {
  hook = await TestWebhookServer.start({ "/": (call) => answer(call) });
  const cluster = { server: `https://127.0.0.1:${hook.port}/`, "certificate-authority-data": hook.caBundle };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      users: [{ name: "u", user: {} }],
      "current-context": "c",
    }),
  );
});
beforeEach(() => {
  hook.calls.length = 0;
  answer = ({ review }) => ({
    body: { ...review, status: { allowed: review.spec.resourceAttributes.verb === "get" } },
  });
});
afterAll(async () => {
  await hook[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const attributes = (verb: string, name = "jane", groups: string[] = []): AuthorizationAttributes => ({
  ...{ user: { name, groups }, verb, isResourceRequest: true, path: "", group: "", version: "v1" },
  ...{ resource: "pods", subresource: "", namespace: "ns", name: "" },
});
async function authorization(options: AuthorizationOptions) {
  const clock = new FakeClock();
  const found = authorizationOf(options, new MemoryStorage(), clock);
  return { clock, ...found, [Symbol.asyncDispose]: () => found.close() };
}
const configuration = (webhook: object): AuthorizationOptions => {
  const path = join(folder, "configuration");
  const connectionInfo = { type: "KubeConfigFile", kubeConfigFile: kubeconfig };
  const required = {
    timeout: "3s",
    subjectAccessReviewVersion: "v1",
    matchConditionSubjectAccessReviewVersion: "v1",
    failurePolicy: "NoOpinion",
    connectionInfo,
  };
  const authorizer = { type: "Webhook", name: "hook", webhook: { ...required, ...webhook } };
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthorizationConfiguration",
      authorizers: [authorizer],
    }),
  );
  return { authorizationConfig: path };
};
const flags = (more: AuthorizationOptions = {}): AuthorizationOptions => ({
  authorizationModes: ["Webhook"],
  authorizationWebhookConfigFile: kubeconfig,
  ...more,
});

it.each<[string, () => AuthorizationOptions, number, number, string]>([
  ["flags, by default", () => flags(), 300_000, 30_000, "v1beta1"],
  [
    "the flags set",
    () =>
      flags({
        authorizationWebhookVersion: "v1",
        authorizationWebhookCacheAuthorizedTtlMs: 7_000,
        authorizationWebhookCacheUnauthorizedTtlMs: 9_000,
      }),
    7_000,
    9_000,
    "v1",
  ],
  [
    "a configuration",
    () => configuration({ authorizedTTL: "11s", unauthorizedTTL: "13s", subjectAccessReviewVersion: "v1beta1" }),
    11_000,
    13_000,
    "v1beta1",
  ],
  ["a configuration, by default", () => configuration({}), 300_000, 30_000, "v1"],
])("caches a webhook's answers as long as %s", async (_what, options, allowedMs, deniedMs, version) => {
  await using it = await authorization(options());
  for (const [verb, decision, ttlMs] of [
    ["get", "allow", allowedMs],
    ["list", "no opinion", deniedMs],
  ] as const) {
    hook.calls.length = 0;
    expect(await it.authorize(attributes(verb))).toMatchObject({ decision });
    await it.clock.advance(ttlMs - 1);
    await it.authorize(attributes(verb));
    expect(hook.calls).toHaveLength(1);
    await it.clock.advance(2);
    await it.authorize(attributes(verb));
    expect(hook.calls).toHaveLength(2);
    expect(hook.calls[0]?.review.apiVersion).toBe(`authorization.k8s.io/${version}`);
  }
});

it.each<[string, () => AuthorizationOptions, string]>([
  ["by default", () => flags(), "no opinion"],
  ["if configured", () => configuration({ failurePolicy: "NoOpinion" }), "no opinion"],
  ["unless configured otherwise", () => configuration({ failurePolicy: "Deny" }), "deny"],
])("an unreachable webhook has no opinion %s", async (_what, options, decision) => {
  answer = () => ({ code: 403, body: "boom" });
  await using it = await authorization(options());
  const decided = await Promise.resolve(it.authorize(attributes("get"))).catch(() => ({ decision: "no opinion" }));
  expect(decided).toMatchObject({ decision });
});

it("a webhook is called only if its conditions hold", async () => {
  const matchConditions = [{ expression: 'request.user == "jane"' }];
  await using it = await authorization(configuration({ matchConditions }));
  expect(await it.authorize(attributes("get", "john"))).toMatchObject({ decision: "no opinion" });
  expect(hook.calls).toEqual([]);
  expect(await it.authorize(attributes("get"))).toMatchObject({ decision: "allow" });
  expect(hook.calls).toHaveLength(1);
});

it.each([
  [["AlwaysAllow"], "allow", false],
  [["AlwaysDeny"], "no opinion", false],
  [["RBAC"], "no opinion", true],
  [["Node"], "no opinion", false],
  [["AlwaysDeny", "RBAC", "AlwaysAllow"], "allow", true],
] as const)("modes %j decide %s, and need the bootstrap roles: %s", async (modes, decision, usesRbac) => {
  const it = authorizationOf(modes, new MemoryStorage(), new FakeClock());
  expect(await it.authorize(attributes("get"))).toMatchObject({ decision });
  expect(it.usesRbac).toBe(usesRbac);
  expect(await it.authorize(attributes("get", "root", ["system:masters"]))).toMatchObject({ decision: "allow" });
});

it("everything is allowed without a mode", async () => {
  await using it = await authorization({});
  expect(await it.authorize(attributes("get"))).toMatchObject({ decision: "allow" });
});

it("applies the policies of a file, and names an unreadable one", async () => {
  const authorizationPolicyFile = join(folder, "policies");
  const policy = (spec: object) =>
    writeFileSync(
      authorizationPolicyFile,
      JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec }),
    );
  const options: AuthorizationOptions = { authorizationModes: ["ABAC"], authorizationPolicyFile };
  policy({ user: "jane", namespace: "*", resource: "pods", apiGroup: "*", readonly: true });
  await using it = await authorization(options);
  expect(await it.authorize(attributes("get"))).toMatchObject({ decision: "allow" });
  expect(await it.authorize(attributes("create"))).toMatchObject({ decision: "no opinion" });
  writeFileSync(authorizationPolicyFile, "{");
  await expect(authorization(options)).rejects.toThrow(/^invalid authorization config: .*policies/);
  await expect(authorization(options)).rejects.not.toThrow("Error:");
});
