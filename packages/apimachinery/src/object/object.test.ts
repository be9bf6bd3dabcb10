import { expect, expectTypeOf, it } from "vitest";
import { defineKind } from "../definition/define-kind.ts";
import type { ObjectOf } from "./kind.ts";
import {
  type DeepMutable,
  type DeepReadonly,
  type KubeObject,
  mutableCopy,
  type NewObject,
  type Stored,
  type Unstored,
  type Unstructured,
} from "./object.ts";
import { controllerReference, setControllerReference } from "./owner-reference.ts";

it("returns a modifiable copy of a frozen object", () => {
  const frozen: DeepReadonly<KubeObject> = Object.freeze({
    apiVersion: "v1",
    kind: "A",
    metadata: Object.freeze({ name: "a", finalizers: Object.freeze(["x"]) }),
  });
  const copy = mutableCopy(frozen);
  copy.metadata.finalizers?.push("y");
  expect(copy.metadata.finalizers).toEqual(["x", "y"]);
  expect(frozen.metadata.finalizers).toEqual(["x"]);
  expectTypeOf(frozen.metadata.finalizers).toEqualTypeOf<readonly string[] | undefined>();
});

const Site = defineKind({ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" });
type Site = ObjectOf<typeof Site>;

it("has the metadata that a server sets in all stored objects", () => {
  expectTypeOf<Stored<Site>["metadata"]["uid"]>().toEqualTypeOf<string>();
  expectTypeOf<Stored<Site>["metadata"]["creationTimestamp"]>().toEqualTypeOf<string>();
  expectTypeOf<Stored<Site>["metadata"]["resourceVersion"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Stored<DeepReadonly<Site>>["metadata"]["uid"]>().toEqualTypeOf<string>();
  expectTypeOf<Stored<Unstructured>["metadata"]["uid"]>().toEqualTypeOf<string>();
  expectTypeOf<DeepMutable<Stored<DeepReadonly<Site>>>["metadata"]["uid"]>().toEqualTypeOf<string>();
});

it("is assignable to the type of the object", () => {
  expectTypeOf<Stored<Site>>().toExtend<Site>();
  expectTypeOf<Stored<Site>>().toExtend<Stored<DeepReadonly<Site>>>();
  expectTypeOf<Stored<DeepReadonly<Site>>>().toExtend<DeepReadonly<Site>>();
  expectTypeOf<DeepMutable<Stored<DeepReadonly<Site>>>>().toExtend<Site>();
  expectTypeOf<Stored<Site>>().toExtend<NewObject<Site>>();
  expectTypeOf<Site>().not.toExtend<Stored<Site>>();
  const unwrapped = <T extends KubeObject>(stored: Stored<T>): T => stored;
  const asRead = <T extends KubeObject>(stored: Stored<DeepReadonly<T>>): DeepReadonly<T> => stored;
  const site: Stored<DeepReadonly<Site>> = {
    apiVersion: "shop.example.com/v1",
    kind: "Site",
    metadata: { name: "a", namespace: "web", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
  };
  expect(unwrapped<Site>(asRead<Site>(site) as Stored<Site>)).toBe(site);
  const draft: NewObject<Site> & KubeObject = { ...mutableCopy(site), metadata: { name: "b", namespace: "web" } };
  setControllerReference(site, draft);
  expect(draft.metadata.ownerReferences).toEqual([controllerReference(site)]);
});

it("does not change types of objects that are never stored", () => {
  interface Usage extends Unstored {
    cpu: string;
  }
  expectTypeOf<Usage>().toExtend<KubeObject>();
  expectTypeOf<Stored<Usage>>().toEqualTypeOf<Usage>();
  expectTypeOf<Stored<DeepReadonly<Usage>>>().toEqualTypeOf<DeepReadonly<Usage>>();
  expectTypeOf<Stored<Usage>["metadata"]["uid"]>().toEqualTypeOf<undefined>();
});
