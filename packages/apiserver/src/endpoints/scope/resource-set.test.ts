import { expect, it } from "vitest";
import { compareVersions } from "./resource-set.ts";

it("orders versions: stable before beta before alpha, higher first, other names last", () => {
  const versions = ["foo1", "v1alpha1", "v2", "v11beta2", "v10", "v3beta1", "v1", "v12alpha1", "foo10"];
  expect(versions.sort(compareVersions)).toEqual([
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v3beta1",
    "v12alpha1",
    "v1alpha1",
    "foo1",
    "foo10",
  ]);
});
