import type { AdmissionRequest } from "@kubewright/webhook";
import { expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { isUpkeep } from "./upkeep.ts";

const serviceAccount = "system:serviceaccount:kube-system:";
const keepers = [
  `${serviceAccount}namespace-controller`,
  `${serviceAccount}generic-garbage-collector`,
  "system:kube-controller-manager",
];
const before = {
  apiVersion: "batch.sdewan.akraino.org/v1alpha1",
  kind: "FirewallRule",
  metadata: {
    name: "a",
    namespace: "b",
    labels: { l: "1" },
    annotations: { n: "1" },
    generation: 1,
    resourceVersion: "1",
  },
  spec: { target: "DROP" },
};

const { group, version, kind, plural: resource } = FirewallRule;

const isAllowed = (username: string, operation: string, metadata: object = {}, rest: object = {}) => {
  const request: AdmissionRequest = {
    ...{ uid: "1", kind: { group, version, kind }, resource: { group, version, resource }, subResource: "" },
    ...{ name: "a", namespace: "b", operation, userInfo: { username, uid: "", groups: [], extra: {} }, dryRun: false },
    oldObject: before,
    object: { ...before, ...rest, metadata: { ...before.metadata, ...metadata } },
  };
  return isUpkeep(request, FirewallRule);
};

it.each(keepers)("is a deletion by %s, and its removal of finalizers and owner references", (user) => {
  const upkeep = [
    ...[{}, { finalizers: ["f"] }, { ownerReferences: [] }, { managedFields: [] }],
    ...[{ resourceVersion: "2" }, { generation: 2 }, { finalizers: ["f"], ownerReferences: [], generation: 2 }],
  ];
  expect(isAllowed(user, "DELETE")).toBe(true);
  for (const metadata of upkeep) expect([metadata, isAllowed(user, "UPDATE", metadata)]).toEqual([metadata, true]);
});

it.each(keepers)("is nothing else that %s does", (user) => {
  expect([isAllowed(user, "CREATE"), isAllowed(user, "CONNECT")]).toEqual([false, false]);
  const changes = [
    ...[{ labels: { l: "2" } }, { labels: {} }, { annotations: { n: "2" } }, { name: "other" }, { namespace: "other" }],
    { finalizers: ["f"], labels: { l: "1", m: "2" } },
  ];
  for (const metadata of changes) expect([metadata, isAllowed(user, "UPDATE", metadata)]).toEqual([metadata, false]);
  expect(isAllowed(user, "UPDATE", {}, { spec: { target: "ACCEPT" } })).toBe(false);
});

it("is nothing that others do, however similar their names", () => {
  const others = [
    "",
    "admin",
    "namespace-controller",
    "system:serviceaccount:team-a:namespace-controller",
    `${keepers[0]}x`,
  ];
  for (const user of others) {
    expect([user, isAllowed(user, "DELETE")]).toEqual([user, false]);
    expect([user, isAllowed(user, "UPDATE", { finalizers: ["f"] })]).toEqual([user, false]);
  }
});
