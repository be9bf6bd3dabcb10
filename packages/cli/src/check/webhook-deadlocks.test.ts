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
  ["what it is connected to", { rules: [{ ...rule("", "pods/exec"), operations: ["CONNECT"] }] }],
  ["config maps", { rules: [rule("", "configmaps")] }],
])("may be asked about %s", (_what, webhook) => {
  expect(found(webhook)).toEqual([]);
});

it("is told that it bars its own way", () => {
  expect(found({ rules: [rule("", "pods")] })).toEqual([
    'is asked about pods in shop-system, its own namespace: once it is away nothing lets it start again: leave the namespace out by namespaceSelector, or narrow its rules, or failurePolicy: "Ignore"',
    expect.stringMatching(/^is asked about pods in kube-system: /),
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

it("is told that it bars the cluster's", () => {
  expect(found({ rules: [rule("coordination.k8s.io", "leases")], ...usual })).toEqual([
    expect.stringMatching(/^is asked about leases in kube-node-lease: .*all nodes are taken for dead/),
  ]);
  expect(found({ rules: [rule("apiextensions.k8s.io", "customresourcedefinitions")], ...usual })).toEqual([
    expect.stringMatching(/^is asked about customresourcedefinitions: /),
  ]);
  const all = found({ rules: [rule("*", "*/*")], ...usual });
  expect(all.map((text) => text.replace(/:.*/, ""))).toEqual([
    "is asked about leases in kube-node-lease",
    "is asked about nodes, nodes/status",
    "is asked about tokenreviews",
    "is asked about subjectaccessreviews",
    "is asked about certificatesigningrequests",
    "is asked about customresourcedefinitions",
  ]);
});

it("is told that nobody will ask about what is asked about no webhook", () => {
  const rules = [rule("admissionregistration.k8s.io", "validatingwebhookconfigurations")];
  expect(found({ rules, failurePolicy: "Ignore" })).toEqual([
    "names validatingwebhookconfigurations: API servers ask no webhook about these: leave them out",
  ]);
});
