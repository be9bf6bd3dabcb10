import { fieldErrorMessage } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta-validation.ts";

const rules = { namespaced: true, nameRule: "subdomain", qualifiedFinalizers: true } as const;
const fields = (meta: object): string[] =>
  validateObjectMeta({ name: "a", namespace: "n", ...meta }, rules).map(({ field }) => field);

describe("validateObjectMeta", () => {
  it("accepts valid metadata", () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
    expect(fields({ labels: { "a.b/c": "d" }, finalizers: ["orphan", "a.b/c"], ownerReferences: [owner] })).toEqual([]);
  });

  it("reports every invalid field", () => {
    expect(fields({ name: "" })).toEqual(["metadata.name"]);
    expect(fields({ name: "A" })).toEqual(["metadata.name"]);
    expect(fields({ labels: { "a b": "c", d: "e f" } })).toEqual(["metadata.labels", "metadata.labels"]);
    expect(fields({ annotations: { "a b": "" } })).toEqual(["metadata.annotations"]);
    expect(fields({ finalizers: ["plain"] })).toEqual(["metadata.finalizers[0]"]);
    expect(fields({ finalizers: ["orphan", "foregroundDeletion"] })).toEqual(["metadata.finalizers"]);
    expect(fields({ annotations: { a: "x".repeat(300_000) } })).toEqual(["metadata.annotations"]);
  });

  it("allows one controller among the owners", () => {
    const owner = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid: name, controller: true });
    const [error] = validateObjectMeta({ name: "a", namespace: "n", ownerReferences: [owner("x"), owner("y")] }, rules);
    expect(error?.detail).toBe(
      'Only one reference can have Controller set to true. Found "true" in references for ConfigMap/x and ConfigMap/y',
    );
  });
});

describe("validateObjectMetaUpdate", () => {
  it("keeps identity, and rejects new finalizers during deletion", () => {
    const old = { name: "a", uid: "1", deletionTimestamp: "2026-01-01T00:00:00Z" };
    const errors = validateObjectMetaUpdate({ ...old, uid: "2", finalizers: ["a.b/c"] }, old);
    expect(errors.map(fieldErrorMessage)).toEqual([
      'metadata.uid: Invalid value: "2": field is immutable',
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/c"}',
    ]);
  });
});
