import { expect, it } from "vitest";
import { objectRef } from "./object-ref.ts";

it("keeps only the fields that identify the object", () => {
  const pod = { kind: "Pod", metadata: { name: "a", namespace: "web", labels: { x: "y" } }, spec: { secret: "z" } };
  expect(objectRef(pod)).toEqual({ kind: "Pod", namespace: "web", name: "a" });
  expect(objectRef({ metadata: { name: "n" } })).toEqual({ name: "n" });
});
