import { expect, it } from "vitest";
import { compareVersions } from "./version-order.ts";

it("sorts stable versions first, then beta, then alpha, then other names alphabetically", () => {
  const sorted = [
    ...["v11", "v10", "v2", "v1", "v11beta2", "v11beta1", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "v11alpha1"],
    ...["foo1", "foo10", "v0", "v1beta0", "v1gamma1"],
  ];
  expect(sorted.toReversed().sort(compareVersions)).toEqual(sorted);
  expect(sorted.toSorted(compareVersions)).toEqual(sorted);
});

it("returns 0 for equal names", () => {
  for (const name of ["v1", "v1beta1", "foo"]) expect(compareVersions(name, name)).toBe(0);
});
