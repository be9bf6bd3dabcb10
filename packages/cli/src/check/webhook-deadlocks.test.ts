import { expect, it } from "vitest";
import { webhookDeadlocks } from "./webhook-deadlocks.ts";

const own = {
  namespace: "shop-system",
  namespaceLabels: { team: "shop" },
  podLabels: { "app.kubernetes.io/name": "shop" },
};
const notIn = (...values: string[]) => ({
  namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values }] },
});
const usual = notIn("kube-system", "shop-system");

const rule = (group: string, ...resources: string[]) => ({
  operations: ["CREATE", "UPDATE"],
  apiGroups: [group],
  apiVersions: ["v1"],
  resources,
});

const found = (more: object): string[] =>
  webhookDeadlocks([{ kind: "ValidatingWebhookConfiguration", webhooks: [{ name: "w", ...more }] }], own).map(
    ({ message }) => message,
  );

it.each([
  ["kinds of definitions", { rules: [rule("shop.example.com", "sites")] }],
  ["pods of other namespaces", { rules: [rule("", "pods")], ...usual }],
  [
    "pods in namespaces of a label that its own has not",
    { rules: [rule("", "pods")], namespaceSelector: { matchLabels: { checked: "yes" } } },
  ],
  ["pods, if they go through without it", { rules: [rule("", "pods")], failurePolicy: "Ignore" }],
  ["pods that conditions choose", { rules: [rule("", "pods")], matchConditions: [{ name: "a", expression: "true" }] }],
  [
    "pods of a label that its own have not",
    { rules: [rule("", "pods")], objectSelector: { matchLabels: { checked: "yes" } } },
  ],
  ["connections to pods", { rules: [{ ...rule("", "pods/exec"), operations: ["CONNECT"] }] }],
  ["config maps", { rules: [rule("", "configmaps")] }],
])("accepts a webhook for %s", (_what, webhook) => {
  expect(found(webhook)).toEqual([]);
});

it("reports a webhook that blocks its own pods", () => {
  expect(found({ rules: [rule("", "pods")] })).toEqual([
    'is called for pods in shop-system, its own namespace, and nothing can restart the webhook once it is down; exclude the namespace with namespaceSelector, narrow its rules, or set failurePolicy: "Ignore"',
    expect.stringMatching(/^is called for pods in kube-system, and /),
  ]);
  expect(found({ rules: [rule("apps", "deployments")], ...notIn("kube-system") })).toEqual([
    expect.stringContaining("deployments in shop-system, its own namespace"),
  ]);
  expect(found({ rules: [rule("apps", "*")], namespaceSelector: { matchLabels: { team: "shop" } } })).toEqual([
    expect.stringContaining("daemonsets, deployments, replicasets, statefulsets in shop-system"),
  ]);
  const chosen = { objectSelector: { matchLabels: { "app.kubernetes.io/name": "shop" } } };
  expect(found({ rules: [rule("", "pods")], ...chosen })).toEqual([expect.stringContaining("pods in shop-system")]);
});

it("reports a webhook that blocks the cluster's components", () => {
  expect(found({ rules: [rule("coordination.k8s.io", "leases")], ...usual })).toEqual([
    expect.stringMatching(/^is called for leases in kube-node-lease, .*all nodes are considered dead/),
  ]);
  expect(found({ rules: [rule("apiextensions.k8s.io", "customresourcedefinitions")], ...usual })).toEqual([
    expect.stringMatching(/^is called for customresourcedefinitions, /),
  ]);
  const all = found({ rules: [rule("*", "*/*")], ...usual });
  expect(all.map((text) => text.split(", and ")[0])).toEqual([
    "is called for leases in kube-node-lease",
    "is called for nodes, nodes/status",
    "is called for tokenreviews",
    "is called for subjectaccessreviews",
    "is called for certificatesigningrequests",
    "is called for customresourcedefinitions",
  ]);
});

it("reports rules for resources without admission webhooks", () => {
  const rules = [rule("admissionregistration.k8s.io", "validatingwebhookconfigurations")];
  expect(found({ rules, failurePolicy: "Ignore" })).toEqual([
    "has rules for validatingwebhookconfigurations, for which API servers never call webhooks; remove these rules",
  ]);
});
