import type { PersistentVolumeClaim, Pod, StatefulSet } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { isStale, ownersOf } from "./claim-retention.ts";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", uid: "pod" },
  spec: { containers: [{ name: "main" }] },
};

const set = (whenDeleted: string, whenScaled: string): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "web", uid: "set" },
  spec: {
    selector: {},
    template: {},
    serviceName: "web",
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  },
});

const claim = (ownerReferences: NonNullable<PersistentVolumeClaim["metadata"]["ownerReferences"]> = []) =>
  ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data-web-1", ownerReferences },
    spec: {},
  }) satisfies PersistentVolumeClaim;

const uids = (owners: readonly { readonly uid: string }[]): string[] => owners.map(({ uid }) => uid);

it.each([
  ["Retain", "Retain", [], []],
  ["Delete", "Retain", ["set"], ["set"]],
  ["Retain", "Delete", [], ["pod"]],
  ["Delete", "Delete", ["set"], ["pod"]],
])(
  "of a set with policy %s, %s a claim is owned by %j, and by %j once it is surplus",
  (deleted, scaled, kept, surplus) => {
    expect(uids(ownersOf(claim(), set(deleted, scaled), pod, false))).toEqual(kept);
    expect(uids(ownersOf(claim(), set(deleted, scaled), pod, true))).toEqual(surplus);
  },
);

it("does not change a claim with another controller", () => {
  const other = { apiVersion: "v1", kind: "Thing", name: "other", uid: "other", controller: true };
  expect(ownersOf(claim([other]), set("Delete", "Delete"), pod, false)).toEqual([other]);
});

it("treats a claim of an earlier pod of that name as stale", () => {
  expect(isStale(claim([{ apiVersion: "v1", kind: "Pod", name: "web-1", uid: "earlier" }]), "web-1")).toBe(true);
  expect(isStale(claim(), "web-1")).toBe(false);
});
