import { describe, expect, it } from "vitest";
import { encode, wantsPretty } from "./encode.ts";

describe("an answer", () => {
  it("in JSON is one line, or indented by two", () => {
    expect(encode({ b: [1], a: "x" }, "application/json", false)).toBe('{"b":[1],"a":"x"}\n');
    expect(encode({ a: { b: 1 } }, "application/json", true)).toBe('{\n  "a": {\n    "b": 1\n  }\n}\n');
  });

  it("in YAML writes a repeated value each time, without anchors and aliases", () => {
    const shared = { z: [{ x: 1 }], y: "2" };
    expect(encode({ second: shared, first: shared }, "application/yaml", false)).toBe(
      'first:\n  "y": "2"\n  z:\n  - x: 1\nsecond:\n  "y": "2"\n  z:\n  - x: 1\n',
    );
  });

  it("in YAML folds no long line, and quotes text that YAML 1.1 would read as another type", () => {
    const long = "word ".repeat(60).trim();
    expect(encode({ long, on: "yes", when: "1:20" }, "application/yaml", false)).toBe(
      `long: ${long}\n"on": "yes"\nwhen: "1:20"\n`,
    );
  });

  it("in YAML does not quote the key of a whole managed field, as upstream", () => {
    const fields = { "f:labels": { ".": {}, "f:a": {} }, "f:x": { ".": { "f:y": {} } } };
    expect(encode(fields, "application/yaml", false)).toBe(
      'f:labels:\n  .: {}\n  f:a: {}\nf:x:\n  ".":\n    f:y: {}\n',
    );
  });
});

it("is pretty on request, or for a browser or curl", () => {
  const asked = (value: string | null) => wantsPretty(value, undefined);
  expect(["true", "1", "", "false", "0", null].map(asked)).toEqual([true, true, true, false, false, false]);
  const agents = ["curl/8", "Wget/1", "Mozilla/5.0 (X11)", "kubectl/v1", "not curl/8", undefined];
  expect(agents.map((agent) => wantsPretty(undefined, agent))).toEqual([true, true, true, false, false, false]);
  expect(wantsPretty("false", "curl/8")).toBe(false);
});
