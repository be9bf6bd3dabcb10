import { expect, expectTypeOf, it } from "vitest";
import { type DeepReadonly, type KubeObject, mutableCopy } from "./object.ts";

it("copies a frozen object into one that may be changed", () => {
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
