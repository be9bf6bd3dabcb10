import { describe, expect, it } from "vitest";
import { Normaliser } from "./normaliser.ts";

const now = Date.parse("2026-01-02T03:04:05Z");
const uid = "6c1d2a1e-1111-4222-8333-444455556666";

describe("the normaliser", () => {
  it("names uids and versions after the step that contained them first, and equal ones alike", () => {
    const normaliser = new Normaliser("https://127.0.0.1:4711", now);
    normaliser.begin("create");
    const made = { metadata: { name: "a", uid, resourceVersion: "7" } };
    expect(normaliser.value(made)).toEqual({
      metadata: { name: "a", uid: "<uid of create>", resourceVersion: "<version of create>" },
    });
    normaliser.begin("update");
    expect(normaliser.value({ metadata: { name: "a", uid, resourceVersion: "9" } })).toEqual({
      metadata: { name: "a", uid: "<uid of create>", resourceVersion: "<version of update>" },
    });
  });

  it("replaces times during the test, and keeps other times", () => {
    const normaliser = new Normaliser("https://127.0.0.1:4711", now);
    expect(normaliser.text("2026-01-02T03:04:09Z and 2001-01-01T00:00:00Z")).toBe("<time> and 2001-01-01T00:00:00Z");
  });

  it.each(["3", "12"])(
    "replaces a list's version, %s, which does not affect the names of its items' versions",
    (newest) => {
      const normaliser = new Normaliser("https://127.0.0.1:4711", now);
      normaliser.begin("list");
      const list = {
        metadata: { resourceVersion: newest },
        items: [{ metadata: { name: "a", resourceVersion: "3" } }],
      };
      expect(normaliser.value(list)).toEqual({
        metadata: { resourceVersion: "<newest>" },
        items: [{ metadata: { name: "a", resourceVersion: "<version of list>" } }],
      });
    },
  );

  it("replaces versions in error texts", () => {
    const normaliser = new Normaliser("https://127.0.0.1:4711", now);
    expect(normaliser.text("Too large resource version: 99, current: 42")).toBe(
      "Too large resource version: <version>, current: <version>",
    );
  });
});
