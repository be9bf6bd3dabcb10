import { StatusError } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { conflictsOf, explainConflicts, ordered, rankOf } from "./apply-manifests.ts";

it("orders objects that others need first, and webhooks last", () => {
  const kinds = [
    ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
    ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"],
    ["apps/v1", "Deployment"],
    ["example.com/v1", "Namespace"],
    ["v1", "Secret"],
    ["v1", "ConfigMap"],
    ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    ["rbac.authorization.k8s.io/v1", "ClusterRole"],
    ["rbac.authorization.k8s.io/v1", "Role"],
    ["v1", "ServiceAccount"],
    ["storage.k8s.io/v1", "StorageClass"],
    ["scheduling.k8s.io/v1", "PriorityClass"],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
    ["v1", "Namespace"],
  ] as const;
  const manifests = kinds.map(([apiVersion, kind]) => ({
    object: { apiVersion, kind, metadata: { name: "x" } },
    source: "",
  }));
  expect(manifests.map(rankOf)).toEqual([8, 8, 6, 6, 5, 5, 4, 4, 3, 3, 3, 2, 2, 1, 0]);
  expect(ordered(manifests).map(({ object }) => object.kind)).toEqual(
    [14, 13, 11, 12, 8, 9, 10, 6, 7, 4, 5, 2, 3, 0, 1].map((i) => kinds[i]?.[1]),
  );
});

it("returns only conflicts of field managers", () => {
  const causes = [
    { reason: "FieldManagerConflict", field: ".spec.a", message: 'conflict with "x" using v1' },
    { reason: "Other", field: ".spec.b", message: "other" },
    { reason: "FieldManagerConflict", field: ".spec.c", message: 'conflict with "x" using v1' },
    { reason: "FieldManagerConflict" },
  ];
  const error = (reason: string) =>
    new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason,
      code: 409,
      details: { causes },
    });
  const found = conflictsOf(error("Conflict"));
  expect(found).toEqual([
    { field: ".spec.a", manager: '"x" using v1' },
    { field: ".spec.c", manager: '"x" using v1' },
    { field: "", manager: "" },
  ]);
  expect(conflictsOf(error("Invalid"))).toEqual([]);
  expect(conflictsOf(Object.assign(new Error("Conflict"), { reason: "Conflict" }))).toEqual([]);
  expect(explainConflicts(found.slice(0, 2)).split("\n")[1]).toBe('  "x" using v1 owns .spec.a, .spec.c');
});
