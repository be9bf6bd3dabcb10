import {
  AlreadyOwnedError,
  controllerOf,
  hasOwner,
  type KubeObject,
  type ObjectMeta,
  removeControllerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";

const owner = (apiVersion = "apps/v1", rest: Partial<ObjectMeta> = {}, kind = "Deployment"): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "foo", namespace: "web", uid: "foo-uid", ...rest },
});
const dependent = (ownerReferences?: ObjectMeta["ownerReferences"], namespace: string | undefined = "web") => {
  const metadata: ObjectMeta = { name: "bar" };
  if (namespace) metadata.namespace = namespace;
  if (ownerReferences) metadata.ownerReferences = ownerReferences;
  return { metadata };
};
const reference = (apiVersion = "apps/v1", uid = "foo-uid") => ({ apiVersion, kind: "Deployment", name: "foo", uid });

describe("an owner reference", () => {
  it("FO-001 has name, kind, apiVersion and uid of the owner, and no flags", () => {
    const object = dependent();
    setOwnerReference(owner(), object);
    expect(object.metadata.ownerReferences).toEqual([reference()]);
  });

  it("FO-002 blocks the owner's deletion on request, and that of a controller does not on request", () => {
    const [owned, controlled] = [dependent(), dependent()];
    setOwnerReference(owner(), owned, { blockOwnerDeletion: true });
    setControllerReference(owner(), controlled, { blockOwnerDeletion: false });
    expect(owned.metadata.ownerReferences).toEqual([{ ...reference(), blockOwnerDeletion: true }]);
    expect(controlled.metadata.ownerReferences).toEqual([
      { ...reference(), controller: true, blockOwnerDeletion: false },
    ]);
  });

  it("FO-003 exists once, however often it is set", () => {
    const object = dependent([reference()]);
    setOwnerReference(owner(), object);
    expect(object.metadata.ownerReferences).toEqual([reference()]);
  });

  it("FO-004 is replaced in place if version or uid differ", () => {
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "other-uid" };
    const object = dependent([reference("apps/v1beta1", "old-uid"), other]);
    setOwnerReference(owner(), object);
    expect(object.metadata.ownerReferences).toEqual([reference(), other]);
  });

  it("FO-005 is found by group, kind and name", () => {
    const object = dependent([reference("apps/v1beta1", "old-uid")]);
    expect(hasOwner(object, owner())).toBe(true);
    expect(hasOwner(object, owner("extensions/v1beta1"))).toBe(false);
    expect(hasOwner(object, owner("apps/v1", {}, "ReplicaSet"))).toBe(false);
    expect(hasOwner(object, owner("apps/v1", { name: "foo2" }))).toBe(false);
    expect(hasOwner(dependent(), owner())).toBe(false);
  });

  it("FO-006 can be removed, also that of a controller, and the others stay", () => {
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "foo", uid: "other-uid" };
    const object = dependent([reference(), other]);
    expect(removeOwnerReference(owner(), object)).toBe(true);
    expect(object.metadata.ownerReferences).toEqual([other]);
    expect(removeOwnerReference(owner(), object)).toBe(false);

    const controlled = dependent();
    setControllerReference(owner(), controlled);
    expect(removeOwnerReference(owner(), controlled)).toBe(true);
    expect(hasOwner(controlled, owner())).toBe(false);
  });

  it.each([setOwnerReference, setControllerReference])(
    "FO-007 cannot cross namespaces, nor refer from a cluster-scoped object to a namespaced owner: %o",
    (set) => {
      for (const [object, message] of [
        [dependent(undefined, "other"), "cross-namespace owner references are disallowed"],
        [dependent(undefined, ""), "cluster-scoped resource must not have a namespace-scoped owner"],
      ] as const) {
        expect(() => set(owner(), object)).toThrow(message);
        expect(object.metadata.ownerReferences).toBeUndefined();
      }
      const { namespace: _, ...metadata } = owner().metadata;
      const object = dependent();
      set({ ...owner(), metadata }, object);
      expect(object.metadata.ownerReferences).toHaveLength(1);
    },
  );
});

describe("a controller reference", () => {
  it("FO-008 is marked as controller, and blocks the owner's deletion", () => {
    const object = dependent();
    setControllerReference(owner(), object);
    expect(object.metadata.ownerReferences).toEqual([{ ...reference(), controller: true, blockOwnerDeletion: true }]);
  });

  it.each([setOwnerReference, setControllerReference])("FO-009 is refused for an owner without a kind: %o", (set) => {
    for (const nameless of [
      { ...owner(), kind: "" },
      { ...owner(), apiVersion: "" },
    ]) {
      const object = dependent();
      expect(() => set(nameless, object)).toThrow('the owner "foo" has no apiVersion or no kind');
      expect(object.metadata.ownerReferences).toBeUndefined();
    }
  });

  it("FO-010 is refused for a second controller, with an error that names the first", () => {
    const first = { apiVersion: "v1", kind: "ConfigMap", name: "first", uid: "first-uid", controller: true };
    const object = dependent([first]);
    const thrown = catchError(() => setControllerReference(owner(), object));
    expect(thrown).toBeInstanceOf(AlreadyOwnedError);
    expect(thrown).toMatchObject({ owner: first, message: expect.stringContaining("ConfigMap controller first") });
    expect(object.metadata.ownerReferences).toEqual([first]);
  });

  it("FO-011 is updated if the same controller is set again", () => {
    const object = dependent([{ ...reference("apps/v1beta1"), controller: true, blockOwnerDeletion: true }]);
    setControllerReference(owner(), object);
    expect(object.metadata.ownerReferences).toEqual([{ ...reference(), controller: true, blockOwnerDeletion: true }]);
  });

  it("FO-012 is refused across namespaces, and for a namespaced owner of a cluster-scoped object", () => {
    expect(() => setControllerReference(owner("apps/v1", { namespace: "one" }), dependent())).toThrow(
      "cross-namespace owner references are disallowed, owner's namespace one, obj's namespace web",
    );
    expect(() => setControllerReference(owner(), dependent(undefined, ""))).toThrow(
      "cluster-scoped resource must not have a namespace-scoped owner, owner's namespace web",
    );
  });

  it("FO-013 exists only if a reference is marked as controller", () => {
    expect(controllerOf(dependent())).toBeUndefined();
    expect(controllerOf(dependent([reference()]))).toBeUndefined();
    expect(controllerOf(dependent([{ ...reference(), controller: false }]))).toBeUndefined();
    const controlling = { ...reference(), controller: true };
    expect(controllerOf(dependent([{ ...reference(), name: "foo2" }, controlling]))).toBe(controlling);
  });

  it("FO-014 is removed, but only if the owner is the controller", () => {
    const object = dependent();
    setControllerReference(owner(), object);
    expect(removeControllerReference(owner("apps/v1", { name: "foo2" }), object)).toBe(false);
    expect(removeControllerReference(owner("apps/v1beta1"), object)).toBe(true);
    expect(object.metadata.ownerReferences).toBeUndefined();

    const owned = dependent([reference()]);
    expect(removeControllerReference(owner(), owned)).toBe(false);
    expect(owned.metadata.ownerReferences).toEqual([reference()]);
  });
});

function catchError(call: () => void): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}
