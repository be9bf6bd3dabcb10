import { expect, it } from "vitest";
import { stripManagedFields } from "./managed-fields.ts";

const object = () => ({ metadata: { name: "a", managedFields: [{ manager: "ours" }, { manager: "kubectl" }] } });

it("drops the entries of other managers, and keeps ours", () => {
  expect(stripManagedFields("ours")(object())).toEqual({
    metadata: { name: "a", managedFields: [{ manager: "ours" }] },
  });
});

it("removes the member if no entries are kept", () => {
  expect(Object.keys(stripManagedFields<ReturnType<typeof object>>()(object()).metadata)).toEqual(["name"]);
  expect(stripManagedFields()({ spec: {} })).toEqual({ spec: {} });
});
