import { describe, expect, it } from "vitest";
import { controllerReference } from "./controller-reference.ts";

describe("controllerReference", () => {
  it("names the owner as the one that manages, and blocks its deletion until the owned is gone", () => {
    const owner = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", namespace: "web", uid: "uid-d" },
    };
    expect(controllerReference(owner)).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: "d",
      uid: "uid-d",
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  it("needs an owner that exists", () => {
    const owner = { apiVersion: "v1", kind: "A", metadata: { name: "a" } };
    expect(() => controllerReference(owner)).toThrow('A "a" has no uid yet: create it before it owns anything');
  });
});
