import { describe, expect, it } from "vitest";
import { onceEach, warningsOf } from "./warnings.ts";

describe("warningsOf", () => {
  it("reads one or several headers, joined or not", () => {
    expect(warningsOf({})).toEqual([]);
    expect(warningsOf({ warning: '299 - "unknown field \\"spec.x\\""' })).toEqual(['unknown field "spec.x"']);
    expect(warningsOf({ warning: '299 - "a, b", 299 kube "c"' })).toEqual(["a, b", "c"]);
    expect(warningsOf({ warning: ['299 - "a"', '199 - "not for us"', '299 - "b"'] })).toEqual(["a", "b"]);
  });
});

describe("onceEach", () => {
  it("passes a text on the first time only", () => {
    const seen: string[] = [];
    const handler = onceEach((text) => seen.push(text));
    for (const text of ["a", "b", "a"]) handler(text);

    expect(seen).toEqual(["a", "b"]);
  });
});
