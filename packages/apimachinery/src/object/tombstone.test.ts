import { expect, it } from "vitest";
import { DeletedFinalStateUnknown, isDeletedFinalStateUnknown } from "./tombstone.ts";

it("distinguishes a tombstone from an object", () => {
  const tombstone = new DeletedFinalStateUnknown("web/a", { metadata: { name: "a" } });
  expect(isDeletedFinalStateUnknown(tombstone)).toBe(true);
  expect(isDeletedFinalStateUnknown<unknown>(tombstone.object)).toBe(false);
  expect(tombstone.key).toBe("web/a");
});
