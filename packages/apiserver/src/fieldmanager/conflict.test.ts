import { expect, it } from "vitest";
import { ApplyConflicts, type Conflict } from "./conflict.ts";
import { FieldSet } from "./field-set.ts";
import type { ManagedEntry } from "./managers.ts";
import { fieldElement } from "./path-element.ts";

const owner: ManagedEntry = {
  manager: "other",
  operation: "Apply",
  apiVersion: "v1",
  subresource: "",
  time: undefined,
  fields: FieldSet.empty,
};
const conflictsOn = (fields: readonly string[]): ApplyConflicts =>
  new ApplyConflicts(fields.map((name): Conflict => ({ owner, path: [fieldElement(name)] })));

it("lists a thousand conflicts, and the number of further ones", () => {
  const { status } = conflictsOn(Array.from({ length: 1_005 }, (_, i) => `f${i}`)).toStatusError();
  expect(status.message).toMatch(/^Apply failed with 1005 conflicts: conflicts with "other":\n- \.f0\n/);
  expect(status.message).toMatch(/\n- \.f999\nand 5 more conflicts$/);
  expect(status.details?.causes).toHaveLength(1_000);
});

it("lists conflicts up to 256 KiB", () => {
  const { status } = conflictsOn(Array.from({ length: 10 }, (_, i) => `${i}${"x".repeat(100_000)}`)).toStatusError();
  expect(status.details?.causes).toHaveLength(3);
  expect(status.message).toMatch(/and 7 more conflicts$/);
});
