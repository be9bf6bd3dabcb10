import { expect, it } from "vitest";
import { stripManagedFields } from "./strip-managed-fields.ts";

const object = () => ({ metadata: { name: "a", managedFields: [{ manager: "ours" }, { manager: "kubectl" }] } });

it("drops what others manage, and keeps ours", () => {
  expect(stripManagedFields("ours")(object())).toEqual({
    metadata: { name: "a", managedFields: [{ manager: "ours" }] },
  });
});

it("leaves no trace where nothing is kept", () => {
  expect(Object.keys(stripManagedFields<ReturnType<typeof object>>()(object()).metadata)).toEqual(["name"]);
  expect(stripManagedFields()({ spec: {} })).toEqual({ spec: {} });
});
