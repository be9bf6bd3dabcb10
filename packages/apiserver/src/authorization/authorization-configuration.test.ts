import { describe, expect, it } from "vitest";
import { readAuthorizationConfiguration } from "./authorization-configuration.ts";

const file = (...authorizers: readonly object[]): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration", authorizers });
const connectionInfo = { type: "KubeConfigFile", kubeConfigFile: "/etc/webhook.yaml" };
const webhook = {
  timeout: "5s",
  subjectAccessReviewVersion: "v1",
  failurePolicy: "NoOpinion",
  connectionInfo,
};
const hook = (more: object = {}, name = "hook"): object => ({
  type: "Webhook",
  name,
  webhook: { ...webhook, ...more },
});
const webhookOf = (more: object) => readAuthorizationConfiguration(file(hook(more)))[0]?.webhook;
const conditions = (...expressions: readonly string[]) => ({
  matchConditionSubjectAccessReviewVersion: "v1",
  matchConditions: expressions.map((expression) => ({ expression })),
});

describe("a configuration of authorizers", () => {
  it("is an ordered list", () => {
    const text = file({ type: "Node", name: "node" }, hook({}, "one"), hook({}, "two"), { type: "RBAC", name: "rbac" });
    expect(readAuthorizationConfiguration(text).map(({ type, name }) => `${type} ${name}`)).toEqual([
      "Node node",
      "Webhook one",
      "Webhook two",
      "RBAC rbac",
    ]);
    expect(readAuthorizationConfiguration(text)[0]).not.toHaveProperty("webhook");
  });

  it("has default cache lifetimes for webhooks", () => {
    expect(webhookOf({})).toEqual({
      timeoutMs: 5_000,
      authorizedTtlMs: 300_000,
      unauthorizedTtlMs: 30_000,
      version: "v1",
      failurePolicy: "NoOpinion",
      kubeConfigFile: "/etc/webhook.yaml",
      matchConditions: [],
    });
  });

  it("sets cache lifetimes, or disables caching", () => {
    const ttls = { authorizedTTL: "1m30s", unauthorizedTTL: "1.5s" };
    expect(webhookOf({ ...ttls, failurePolicy: "Deny" })).toMatchObject({
      authorizedTtlMs: 90_000,
      unauthorizedTtlMs: 1_500,
      failurePolicy: "Deny",
    });
    expect(webhookOf({ ...ttls, cacheAuthorizedRequests: false, cacheUnauthorizedRequests: false })).toMatchObject({
      authorizedTtlMs: 0,
      unauthorizedTtlMs: 0,
    });
    expect(webhookOf({ cacheAuthorizedRequests: true, authorizedTTL: "250ms", unauthorizedTTL: "2h" })).toMatchObject({
      authorizedTtlMs: 250,
      unauthorizedTtlMs: 7_200_000,
    });
  });

  it("contains conditions", () => {
    expect(webhookOf(conditions("true", "request.user == 'jane'"))?.matchConditions).toEqual([
      "true",
      "request.user == 'jane'",
    ]);
  });

  it("accepts a timeout above zero, up to thirty seconds", () => {
    expect(webhookOf({ timeout: "30s" })?.timeoutMs).toBe(30_000);
    expect(webhookOf({ timeout: "1ms" })?.timeoutMs).toBe(1);
  });
});

/** @see apiserver pkg/apis/apiserver/validation TestValidateAuthorizationConfiguration */
describe("a configuration is refused", () => {
  const many = Array.from({ length: 65 }, (_, i) => `request.user != '${i}'`);
  it.each<[string, readonly object[], string]>([
    ["without authorizers", [], "authorizers: Required value: at least one authorization mode must be defined"],
    ["without a type", [{ name: "a" }], "authorizers[0].type: Required value"],
    [
      "of an unknown type",
      [{ type: "Magic", name: "a" }],
      'authorizers[0].type: Unsupported value: "Magic": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
    ],
    [
      "with a type twice",
      [
        { type: "RBAC", name: "a" },
        { type: "RBAC", name: "b" },
      ],
      'authorizers[1].type: Duplicate value: "RBAC"',
    ],
    ["with a name twice", [hook(), hook()], 'authorizers[1].name: Duplicate value: "hook"'],
    ["without a name", [hook({}, "")], "authorizers[0].name: Required value"],
    [
      "with an invalid name",
      [hook({}, "Hook_1")],
      'authorizers[0].name: Invalid value: "Hook_1": authorizer name is invalid: ',
    ],
    [
      "without a webhook",
      [{ type: "Webhook", name: "a" }],
      "authorizers[0].webhook: Required value: required when type=Webhook",
    ],
    [
      "with a webhook of another type",
      [{ type: "RBAC", name: "a", webhook }],
      'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
    ],
    ["without a timeout", [hook({ timeout: undefined })], "authorizers[0].timeout: Required value"],
    ["with an invalid timeout", [hook({ timeout: "soon" })], "authorizers[0].timeout: Required value"],
    [
      "with a negative timeout",
      [hook({ timeout: "-1s" })],
      'authorizers[0].timeout: Invalid value: "-1s": must be > 0s and <= 30s',
    ],
    [
      "with a long timeout",
      [hook({ timeout: "30.001s" })],
      'authorizers[0].timeout: Invalid value: "30.001s": must be > 0s and <= 30s',
    ],
    [
      "without a version",
      [hook({ subjectAccessReviewVersion: "" })],
      "authorizers[0].subjectAccessReviewVersion: Required value",
    ],
    [
      "of another version",
      [hook({ subjectAccessReviewVersion: "v2" })],
      'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
    ],
    ["without a policy", [hook({ failurePolicy: undefined })], "authorizers[0].failurePolicy: Required value"],
    [
      "of another policy",
      [hook({ failurePolicy: "Allow" })],
      'authorizers[0].failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"',
    ],
    [
      "without a connection",
      [hook({ connectionInfo: undefined })],
      "authorizers[0].connectionInfo.type: Required value",
    ],
    [
      "inside a cluster",
      [hook({ connectionInfo: { type: "InClusterConfig" } })],
      'authorizers[0].connectionInfo.type: Invalid value: "InClusterConfig": this server does not run inside a cluster',
    ],
    [
      "with another connection",
      [hook({ connectionInfo: { type: "Carrier" } })],
      'authorizers[0].connectionInfo.type: Unsupported value: "Carrier": supported values: "InClusterConfig", "KubeConfigFile"',
    ],
    [
      "without a file",
      [hook({ connectionInfo: { type: "KubeConfigFile" } })],
      "authorizers[0].connectionInfo.kubeConfigFile: Required value",
    ],
    [
      "with a file somewhere",
      [hook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "a.yaml" } })],
      'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "a.yaml": must be an absolute path',
    ],
    [
      "with conditions of no version",
      [hook({ matchConditions: [{ expression: "true" }] })],
      "authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified",
    ],
    [
      "with conditions of another version",
      [hook({ ...conditions("true"), matchConditionSubjectAccessReviewVersion: "v1beta1" })],
      'authorizers[0].matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"',
    ],
    [
      "with an empty condition",
      [hook(conditions("true", " "))],
      "authorizers[0].matchConditions[1].expression: Required value",
    ],
    [
      "with a condition twice",
      [hook(conditions("true", "true"))],
      'authorizers[0].matchConditions[1].expression: Duplicate value: "true"',
    ],
    [
      "with an invalid condition",
      [hook(conditions("request.user"))],
      'authorizers[0].matchConditions[0].expression: Invalid value: "request.user": must evaluate to bool',
    ],
    [
      "with too many conditions",
      [hook(conditions(...many))],
      "authorizers[0].matchConditions: Too many: 65: must have at most 64 items",
    ],
  ])("%s", (_what, authorizers, message) => {
    expect(() => readAuthorizationConfiguration(file(...authorizers))).toThrow(message);
  });

  it("with every error", () => {
    expect(() => readAuthorizationConfiguration(file({ name: "a" }, { type: "RBAC" }))).toThrow(
      "[authorizers[0].type: Required value, authorizers[1].name: Required value]",
    );
  });

  it("with unknown members", () => {
    expect(() => readAuthorizationConfiguration(file(hook({ timeoutSeconds: 1 })))).toThrow(
      'failed to load AuthorizationConfiguration from file: strict decoding error: unknown field "authorizers[0].webhook.timeoutSeconds"',
    );
  });

  it("with more than 64 conditions, but not with a null webhook", () => {
    expect(webhookOf(conditions(...many.slice(1)))?.matchConditions).toHaveLength(64);
    expect(readAuthorizationConfiguration(file({ type: "RBAC", name: "a", webhook: null }))).toEqual([
      { type: "RBAC", name: "a" },
    ]);
  });
});
