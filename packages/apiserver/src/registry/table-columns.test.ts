import { expect, it } from "vitest";
import { createdAtColumn, defaultColumns } from "./table-columns.ts";

it("shows name and age of a kind without its own columns", () => {
  const cells = (metadata: { name: string; creationTimestamp?: string }) => {
    const object = { apiVersion: "v1", kind: "Thing", metadata };
    return [...defaultColumns, createdAtColumn].map(({ name, cell }) => [name, cell(object, 5_000)]);
  };
  const creationTimestamp = "1970-01-01T00:00:00Z";
  expect(cells({ name: "a", creationTimestamp })).toEqual([
    ["Name", "a"],
    ["Age", "5s"],
    ["Created At", creationTimestamp],
  ]);
  expect(cells({} as { name: string })[0]).toEqual(["Name", ""]);
  expect(cells({ name: "a" }).slice(1)).toEqual([
    ["Age", "<unknown>"],
    ["Created At", "<unknown>"],
  ]);
});
