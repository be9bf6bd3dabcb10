import { describe, expect, it } from "vitest";
import type { KubeObject } from "./object.ts";
import {
  controllerOf,
  controllerReference,
  hasOwner,
  isAlreadyOwnedError,
  isControlledBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-reference.ts";

const object = (
  kind: string,
  name: string,
  namespace: string | undefined = "web",
  apiVersion = "apps/v1",
): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, uid: `uid-${name}`, ...(namespace ? { namespace } : {}) },
});
const clusterWide = (kind: string, name: string): KubeObject => object(kind, name, "");

describe("a controller reference", () => {
  it("is a value that can be applied", () => {
    const reference = { apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: "uid-d", controller: true };
    const owner = object("Deployment", "d");
    expect(controllerReference(owner)).toEqual({ ...reference, blockOwnerDeletion: true });
    expect(controllerReference(owner, { blockOwnerDeletion: undefined }).blockOwnerDeletion).toBe(true);
    expect(controllerReference(owner, { blockOwnerDeletion: false })).toEqual({
      ...reference,
      blockOwnerDeletion: false,
    });
    const unborn = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
    expect(() => controllerReference(unborn)).toThrow('Pod "p" has no uid; create it before you make it an owner');
  });

  it("names the managing controller, once", () => {
    const owner = object("Deployment", "d");
    const owned = object("ReplicaSet", "r");
    setControllerReference(owner, owned);
    setControllerReference(owner, owned);
    expect(owned.metadata.ownerReferences).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "d",
        uid: "uid-d",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(controllerOf(owned)?.name).toBe("d");
    expect(isControlledBy(owned, owner)).toBe(true);
    expect(isControlledBy(owned, object("Deployment", "other"))).toBe(false);
  });

  it("is rejected while another controller manages the object", () => {
    const owned = object("ReplicaSet", "r");
    setControllerReference(object("Deployment", "d"), owned);
    let caught: unknown;
    try {
      setControllerReference(object("Deployment", "e"), owned);
    } catch (error) {
      caught = error;
    }
    expect(isAlreadyOwnedError(caught)).toBe(true);
    expect(String(caught)).toContain("Object web/r is already owned by another Deployment controller d");
  });

  it("replaces its own reference of a different version", () => {
    const owned = object("ReplicaSet", "r");
    setControllerReference(object("Deployment", "d", "web", "apps/v1beta1"), owned);
    setControllerReference(object("Deployment", "d"), owned);
    expect(owned.metadata.ownerReferences?.map((r) => r.apiVersion)).toEqual(["apps/v1"]);
  });

  it("never crosses namespaces", () => {
    expect(() => setControllerReference(object("A", "a", "one"), object("B", "b", "two"))).toThrow(
      "cross-namespace owner references are disallowed, owner's namespace one, obj's namespace two",
    );
    expect(() => setControllerReference(object("A", "a", "one"), clusterWide("B", "b"))).toThrow(
      "cluster-scoped resource must not have a namespace-scoped owner, owner's namespace one",
    );
    setControllerReference(clusterWide("A", "a"), object("B", "b"));
  });

  it("needs an owner that exists", () => {
    const owner: KubeObject = { apiVersion: "v1", kind: "A", metadata: { name: "a" } };
    expect(() => setControllerReference(owner, object("B", "b"))).toThrow('A "a" has no uid');
  });
});

describe("plain owner references", () => {
  it("do not replace the controller's reference, and can be removed", () => {
    const owned = object("B", "b");
    const owner = object("A", "a");
    setOwnerReference(owner, owned);
    setControllerReference(object("C", "c"), owned, { blockOwnerDeletion: false });
    expect(owned.metadata.ownerReferences?.[0]).toEqual({ apiVersion: "apps/v1", kind: "A", name: "a", uid: "uid-a" });
    expect(hasOwner(owned, owner)).toBe(true);
    expect(removeOwnerReference(owner, owned)).toBe(true);
    expect(removeOwnerReference(owner, owned)).toBe(false);
    expect(hasOwner(owned, owner)).toBe(false);
    removeOwnerReference(object("C", "c"), owned);
    expect(owned.metadata.ownerReferences).toBeUndefined();
  });
});
