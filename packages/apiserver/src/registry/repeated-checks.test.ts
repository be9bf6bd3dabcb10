import { expect, it } from "vitest";
import { repeatedChecks } from "./repeated-checks.ts";
import { createdAtColumn, defaultColumns } from "./table-columns.ts";
import { thingResource } from "./testing/thing-resource.ts";

it.each([
  ["Thing", "", "builtin", { changes: 2, whole: 1 }],
  ["Event", "", "builtin", { changes: 1, whole: 1 }],
  ["PodDisruptionBudget", "policy", "builtin", { changes: 1, whole: 1 }],
  ["LimitRange", "", "builtin", { changes: 1, whole: 2 }],
  ["ClusterRole", "rbac.authorization.k8s.io", "builtin", { changes: 2, whole: 2 }],
  ["APIService", "apiregistration.k8s.io", "builtin", { changes: 2, whole: 2 }],
  ["ClusterRole", "", "builtin", { changes: 2, whole: 1 }],
  ["Event", "", "custom", { changes: 1, whole: 2 }],
] as const)("counts how often metadata of %s in group %j (%s) is validated", (kind, group, origin, expected) => {
  expect(repeatedChecks({ ...thingResource(), kind, group, origin })).toEqual(expected);
});

const twice = {
  "": "Secret ConfigMap Node Pod Namespace ServiceAccount PersistentVolume PersistentVolumeClaim Endpoints LimitRange",
  apps: "ControllerRevision",
  batch: "Job",
  "node.k8s.io": "RuntimeClass",
  "networking.k8s.io": "Ingress IngressClass IPAddress",
  "storage.k8s.io": "StorageClass CSIStorageCapacity VolumeAttributesClass",
  "rbac.authorization.k8s.io": "Role RoleBinding ClusterRole ClusterRoleBinding",
  "resource.k8s.io": "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
  "certificates.k8s.io": "CertificateSigningRequest",
  "apiregistration.k8s.io": "APIService",
};
const kinds = Object.entries(twice).flatMap(([group, names]) => names.split(" ").map((kind) => [kind, group] as const));
it.each(kinds)("looks at the whole metadata of %s in group %j twice, but not in another group", (kind, group) => {
  expect(repeatedChecks({ ...thingResource(), kind, group }).whole).toBe(2);
  expect(repeatedChecks({ ...thingResource(), kind, group: "example.com" }).whole).toBe(1);
});

it("shows name and age of a kind without its own columns", () => {
  const cells = (metadata: { name: string; creationTimestamp?: string }) => {
    const object = { apiVersion: "v1", kind: "Thing", metadata };
    return [...defaultColumns, createdAtColumn].map(({ name, cell }) => [name, cell(object, 5_000)]);
  };
  const creationTimestamp = "1970-01-01T00:00:00Z";
  expect(cells({ name: "a", creationTimestamp })).toEqual([
    ["Name", "a"],
    ["Age", "5s"],
    ["Created At", creationTimestamp],
  ]);
  expect(cells({} as { name: string })[0]).toEqual(["Name", ""]);
  expect(cells({ name: "a" }).slice(1)).toEqual([
    ["Age", "<unknown>"],
    ["Created At", "<unknown>"],
  ]);
});
