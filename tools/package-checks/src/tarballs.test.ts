import { expect, it } from "vitest";
import { testFile } from "./tarballs.ts";

it.each([
  ["src/a.test.ts", true],
  ["dist/a.test.js", false],
  ["src/testing/index.ts", false],
  ["dist/testing/index.js", false],
  ["src/server/testing/raw.ts", true],
])("a package must not contain %s (exports its folder for tests: %s)", (path, exportsTesting) => {
  expect(testFile(["src/index.ts", path], exportsTesting)).toBe(path);
});

it("a package may contain the folder for tests that it exports", () => {
  const files = ["src/testing/index.ts", "dist/testing/fake/index.js", "src/latest.ts", "templates/testing/a.ts"];
  expect(testFile(files, true)).toBeUndefined();
});
