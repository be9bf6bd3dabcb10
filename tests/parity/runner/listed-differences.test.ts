import { describe, expect, it } from "vitest";
import { compareSteps } from "./compare.ts";
import { parseDifferences, unaccounted } from "./listed-differences.ts";

const listed = parseDifferences("| `create/again` | `body.message`, `status` | ours is clearer |\n");

describe("the list of differences", () => {
  it("is parsed by step, paths and reason", () => {
    expect(listed).toEqual([{ step: "create/again", paths: ["body.message", "status"], reason: "ours is clearer" }]);
  });

  it("reports a difference that it does not list", () => {
    const found = compareSteps({ status: 200, body: { a: 1, b: 2 } }, { status: 200, body: { a: 1, b: 3 } });
    expect(unaccounted("create/again", found, listed).unlisted).toEqual([{ path: "body.b", real: 2, ours: 3 }]);
  });

  it("reports a row that no longer applies", () => {
    expect(unaccounted("create/again", [], listed).stale).toEqual(["body.message", "status"]);
  });

  it("treats the bodies of a success and of a failure as a whole", () => {
    const found = compareSteps({ status: 200, body: { a: 1 } }, { status: 404, body: { b: 1 } });
    expect(found.map(({ path }) => path)).toEqual(["status", "body"]);
  });
});
