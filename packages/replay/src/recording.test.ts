import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Recording, RecordingError } from "./recording.ts";

const header = { kubewright: "recording", format: 1, name: "shop", atMs: 0 };
const reconcile = {
  reconcile: 1,
  controller: "c",
  request: "a",
  causes: [],
  atMs: 0,
  tookMs: 1,
  steps: [],
  result: {},
};
const file = (...lines: readonly (object | string)[]): Buffer =>
  gzipSync(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
const step = (more: object) => file(header, { ...reconcile, steps: [{ verb: "get", at: [0, 1], ...more }] });
const wrongStatus = (status: object) => ({ name: "StatusError", message: "m", status });

it.each<[what: string, bytes: Uint8Array, message: string]>([
  ["an empty file", Buffer.alloc(0), "the file is empty; nothing was recorded"],
  ["an empty gzip file", gzipSync(""), "the file is empty; nothing was recorded"],
  ["another file", Buffer.from("apiVersion: v1"), "the file is not a recording: it is not gzipped"],
  ["a gzip file of something else", file({ a: 1 }), "line 1: the file is not a recording: it has no header"],
  [
    "another format",
    file({ ...header, format: 2 }),
    "line 1: the recording has format 2, but this version reads format 1; use the version of kubewright that wrote it",
  ],
  [
    "another format after a restart",
    file(header, { ...header, format: 7 }),
    "line 2: the recording has format 7, but this version reads format 1",
  ],
  ["an incomplete file", file(header, reconcile).subarray(0, -12), "the file is incomplete"],
  ["damaged bytes", Buffer.concat([file(header).subarray(0, 20), Buffer.alloc(50)]), "the file cannot be decompressed"],
  ["an incomplete line", gzipSync(`${JSON.stringify(header)}\n{"a"`), "the last line is incomplete"],
  ["text", file(header, "abc"), "line 2: it is not JSON: "],
  ["a list", file(header, "[]"), "line 2: it is not an object"],
  ["something else", file(header, { a: 1 }), "line 2: it is not a header, an object, a list or a reconcile"],
  ["deep JSON", file(header, `{"a":${"[".repeat(2_000)}`), "line 2: it is nested more than 1000 levels deep"],
  [
    "an object without a hash",
    file(header, { object: 5, value: 1 }),
    "line 2: the object's hash is missing or invalid",
  ],
  ["an object with another field", file(header, { object: "h", value: 1, more: 2 }), "line 2: it is not JSON: "],
  [
    "an object in another order",
    file(header, { value: 1, object: "h" }),
    "line 2: the object's hash is missing or invalid",
  ],
  [
    "a list of unknown objects",
    file(header, { list: "l", items: ["x"], metadata: {} }),
    "line 2: the list refers to an unknown object",
  ],
  [
    "a reconcile without a controller",
    file(header, { ...reconcile, controller: 5 }),
    "line 2: reconcile 1: missing or invalid controller",
  ],
  [
    "a reconcile without causes",
    file(header, { ...reconcile, causes: [{}] }),
    "line 2: reconcile 1: missing or invalid causes",
  ],
  [
    "a reconcile without a time",
    file(header, { ...reconcile, atMs: "x" }),
    "line 2: reconcile 1: missing or invalid time",
  ],
  [
    "a time that no date can have",
    file(header, { ...reconcile, atMs: 9e15 }),
    "line 2: reconcile 1: missing or invalid time",
  ],
  [
    "a clock that no date can have",
    step({ verb: "now", value: -9e15 }),
    "line 2: reconcile 1: missing or invalid step 1",
  ],
  [
    "an error with another status",
    step({ error: wrongStatus({ message: {} }) }),
    "reconcile 1: missing or invalid step 1",
  ],
  ["an error with another code", step({ error: wrongStatus({ code: "x" }) }), "reconcile 1: missing or invalid step 1"],
  [
    "too many values in a line",
    file(header, `{"object":"h","value":[${"[],".repeat(1_100_000)}0]}`),
    "line 2: it contains more than 2000000 values",
  ],
  [
    "too many values in reconciles",
    file(
      header,
      ...Array(6).fill(
        `{"reconcile":1,"controller":"c","atMs":0,"tookMs":0,"causes":[],"steps":[],"request":[${"1,".repeat(1_800_000)}0]}`,
      ),
    ),
    "line 7: the recording contains more than 10000000 values",
  ],
  ["an unknown verb", step({ verb: "constructor" }), "line 2: reconcile 1: missing or invalid step 1"],
  ["an unknown object", step({ answer: "x" }), "line 2: reconcile 1: missing or invalid step 1"],
  ["a time that is text", step({ verb: "now", value: "x" }), "line 2: reconcile 1: missing or invalid step 1"],
  ["an error without a message", step({ error: { name: "x" } }), "line 2: reconcile 1: missing or invalid step 1"],
  [
    "too many steps",
    file(header, { ...reconcile, steps: Array(10_001).fill({ verb: "get", at: [0, 1] }) }),
    "line 2: reconcile 1: missing or invalid steps",
  ],
])("refuses %s", (_what, bytes, message) => {
  expect(() => Recording.read(bytes)).toThrow(RecordingError);
  expect(() => Recording.read(bytes)).toThrow(message);
});

describe("a recording", () => {
  it("is refused if it is too large, before it is decompressed in whole", () => {
    const bomb = gzipSync(Buffer.alloc(50 << 20));
    expect(() => Recording.read(bomb, { maxTextBytes: 1 << 20 })).toThrow(
      "the recording is larger than 1048576 bytes when decompressed",
    );
    expect(() => Recording.read(bomb, { maxFileBytes: 100 })).toThrow(
      /the file is \d+ bytes long; at most 100 bytes can be read/,
    );
  });

  it("contains objects, lists and reconciles", () => {
    const recording = Recording.read(
      file(
        header,
        { object: "h", value: { a: 1 } },
        { list: "l", items: ["h", "h"], metadata: { continue: "x" } },
        reconcile,
      ),
    );
    expect(recording.name).toBe("shop");
    expect(Recording.read(file({ ...header, name: { toString: 1 } })).name).toBe("");
    expect(recording.object("h")).toEqual({ a: 1 });
    expect(recording.object("h")).not.toBe(recording.object("h"));
    expect(recording.object("constructor")).toBeUndefined();
    expect(recording.list("l")).toEqual({ items: [{ a: 1 }, { a: 1 }], metadata: { continue: "x" } });
    expect(recording.list("h")).toBeUndefined();
    expect(recording.reconciles).toMatchObject([{ number: 1, controller: "c", request: "a" }]);
  });
});
