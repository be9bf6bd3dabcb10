import { aggregateFieldErrors, type KubeObject } from "@kubewright/apimachinery";
import type { KindStrategy } from "@kubewright/apiserver/registry";
import { describe, expect, it } from "vitest";
import {
  mutatingAdmissionPolicyBindingStrategy,
  mutatingAdmissionPolicyStrategy,
  validatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyStrategy,
} from "./admission-policy.ts";
import { mutatingWebhookConfigurationStrategy } from "./webhook-configuration.ts";

const context = { user: { name: "", groups: [] }, nowMs: 0, namespace: "", dryRun: false };
const errorsOf = (strategy: KindStrategy, object: Record<string, unknown>): string => {
  const whole = { apiVersion: "admissionregistration.k8s.io/v1", kind: "X", metadata: { name: "p" }, ...object };
  strategy.applyDefaults?.(whole as KubeObject);
  return aggregateFieldErrors(strategy.validate?.(whole as KubeObject, context) ?? []);
};

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };

describe("a webhook is rejected as upstream:", () => {
  const webhook = {
    name: "a.example.com",
    clientConfig: { url: "https://x/p" },
    rules: [rule],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  it.each<[object, string]>([
    [{}, ""],
    [{ name: "a.b" }, 'name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
    [{ sideEffects: "Some" }, 'sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    [{ admissionReviewVersions: ["v1", "v1"] }, 'admissionReviewVersions[1]: Invalid value: "v1": duplicate version'],
    [{ timeoutSeconds: 31 }, "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"],
    [
      { reinvocationPolicy: "Foo" },
      'reinvocationPolicy: Unsupported value: "Foo": supported values: "IfNeeded", "Never"',
    ],
    [
      { clientConfig: { url: "https:///b" } },
      'clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
    ],
    [
      { clientConfig: { url: "https://u:p@a/b" } },
      'clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
    ],
    [
      { clientConfig: { service: { name: "a", namespace: "b", path: "/x//y" } } },
      'clientConfig.service.path: Invalid value: "/x//y": segment[1] may not be empty',
    ],
    [
      { rules: [{ ...rule, operations: ["*", "CREATE"] }] },
      `rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
    ],
    [
      { rules: [{ ...rule, resources: ["pods/*", "pods/status"] }] },
      `rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`,
    ],
    [
      { matchConditions: [{ name: "a", expression: "'x'" }] },
      `matchConditions[0].expression: Invalid value: "'x'": must evaluate to bool but got string`,
    ],
    [
      { matchConditions: [{ name: "a", expression: "foo" }] },
      `matchConditions[0].expression: Invalid value: "foo": compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^`,
    ],
  ])("%j", (parts, error) => {
    const webhooks = [structuredClone({ ...webhook, ...parts })];
    const errors = errorsOf(mutatingWebhookConfigurationStrategy, { webhooks });
    expect(errors).toBe(error === "" ? "" : `webhooks[0].${error}`);
  });
});

const matchConstraints = { resourceRules: [rule] };

describe("a policy is rejected as upstream:", () => {
  const validating = { matchConstraints, validations: [{ expression: "true" }] };
  it.each<[object, string]>([
    [{}, ""],
    [{ matchConstraints: {} }, "spec.matchConstraints.resourceRules: Required value"],
    [
      { validations: [{ expression: "object.x" }] },
      'spec.validations[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn',
    ],
    [
      { validations: [{ expression: "true", messageExpression: "1" }] },
      'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
    ],
    [
      { variables: [{ name: "for", expression: "1" }] },
      'spec.variables[0].name: Invalid value: "for": must be a valid CEL identifier',
    ],
    [
      { auditAnnotations: [{ key: "a", valueExpression: "1" }] },
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ],
    [{ paramKind: { apiVersion: "v1" } }, "spec.paramKind.kind: Required value"],
  ])("%j", (parts, error) => {
    const spec = structuredClone({ ...validating, ...parts });
    expect(errorsOf(validatingAdmissionPolicyStrategy, { spec })).toBe(error);
  });

  it.each<[object, string]>([
    [
      { patchType: "ApplyConfiguration", applyConfiguration: { expression: "{}" } },
      'applyConfiguration.expression: Invalid value: "{}": must evaluate to Object but got map(dyn, dyn)',
    ],
    [
      { patchType: "JSONPatch", jsonPatch: { expression: "[1]" } },
      'jsonPatch.expression: Invalid value: "[1]": must evaluate to list(JSONPatch) but got list(int)',
    ],
    [{ patchType: "JSONPatch" }, "jsonPatch: Required value: must be specified when patchType is JSONPatch"],
  ])("mutation %j", (mutation, error) => {
    const spec = { matchConstraints, reinvocationPolicy: "Never", mutations: [mutation] };
    expect(errorsOf(mutatingAdmissionPolicyStrategy, { spec: structuredClone(spec) })).toBe(
      `spec.mutations[0].${error}`,
    );
  });
});

describe("a binding is rejected as upstream:", () => {
  it.each<[object, string]>([
    [{}, ""],
    [{ policyName: "" }, "spec.policyName: Required value"],
    [
      { paramRef: { name: "a", parameterNotFoundAction: "Foo" } },
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "Foo": supported values: "Deny", "Allow"',
    ],
    [{ validationActions: ["Deny", "Deny"] }, 'spec.validationActions[1]: Duplicate value: "Deny"'],
  ])("%j", (parts, error) => {
    const spec = { policyName: "p", validationActions: ["Deny"], ...parts };
    expect(errorsOf(validatingAdmissionPolicyBindingStrategy, { spec })).toBe(error);
  });

  it("deletes cannot be mutated", () => {
    const matchResources = { resourceRules: [{ ...rule, operations: ["DELETE"] }] };
    expect(errorsOf(mutatingAdmissionPolicyBindingStrategy, { spec: { policyName: "p", matchResources } })).toBe(
      'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    );
  });
});
