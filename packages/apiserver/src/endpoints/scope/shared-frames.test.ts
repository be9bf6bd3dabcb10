import { expect, it } from "vitest";
import { RunningWatches } from "./running-watches.ts";
import { SharedFrames } from "./shared-frames.ts";

const object = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

/** Counts how often a frame is created. */
function counted(frames: SharedFrames, bytes = 10) {
  let made = 0;
  const ask = (of: ReturnType<typeof object>): number => {
    frames.frame(of, "ADDED", () => {
      made++;
      return Buffer.alloc(bytes);
    });
    return made;
  };
  return ask;
}

it("creates a frame once for all that write it at about the same time", () => {
  const ask = counted(new SharedFrames());
  const [a, b] = [object("a"), object("b")];
  expect([ask(a), ask(a), ask(b), ask(a)]).toEqual([1, 1, 2, 2]);
});

it("keeps at most twice eight megabytes", () => {
  const ask = counted(new SharedFrames(), 3 * 1024 * 1024);
  const objects = Array.from({ length: 7 }, (_, index) => object(`o${index}`));
  for (const each of objects) ask(each);
  expect(ask(objects[6] as ReturnType<typeof object>)).toBe(7);
  expect(ask(objects[0] as ReturnType<typeof object>)).toBe(8);
});

it("keeps two generations of five hundred objects", () => {
  const ask = counted(new SharedFrames());
  const objects = Array.from({ length: 1_000 }, (_, index) => object(`o${index}`));
  for (const each of objects) ask(each);
  expect(ask(objects[498] ?? object(""))).toBe(1_000); // the third generation contains it, because the second is full
  expect(ask(objects[500] ?? object(""))).toBe(1_000);
  expect(ask(objects[0] ?? object(""))).toBe(1_001);
});

/** Returns the objects whose frames must be recreated after frames of these sizes were requested. */
function forgotten(sizes: readonly number[]): number[] {
  const made = (missing: number): boolean => {
    const frames = new SharedFrames();
    const objects = sizes.map((_, index) => object(`o${index}`));
    let isMade = false;
    const make = (bytes: number) => () => {
      isMade = true;
      return Buffer.alloc(bytes);
    };
    for (const [index, bytes] of sizes.entries()) frames.frame(objects[index] ?? object(""), "ADDED", make(bytes));
    isMade = false;
    frames.frame(objects[missing] ?? object(""), "ADDED", make(1));
    return isMade;
  };
  return [...sizes.keys()].filter(made);
}

const most = 8 * 1024 * 1024;
it.each([
  ["as long as they are small", [1, 1, 1, 1, 1], []],
  ["with objects of twice the limit", [most, most, most], [0]],
  ["with two objects of the exact limit", [most / 2, most / 2, most / 2, most / 2], []],
  ["with a third generation", [most / 2, most / 2, most / 2, most / 2, 1], [0, 1]],
  ["with one byte left", [most - 1, 1, most, 1], [0, 1]],
])("keeps twice eight megabytes, %s", (_what, sizes, again) => {
  expect(forgotten(sizes)).toEqual(again);
});

it("forgets both generations when it is cleared", () => {
  const frames = new SharedFrames();
  const ask = counted(frames);
  const objects = Array.from({ length: 501 }, (_, index) => object(`o${index}`));
  for (const each of objects) ask(each);
  frames.clear();
  expect(ask(objects[0] ?? object(""))).toBe(502);
  expect(ask(objects[500] ?? object(""))).toBe(503);
});

it("keeps nothing once the last watch has ended", () => {
  const watches = new RunningWatches();
  const ask = counted(watches.frames);
  const watch = { resource: {} as never, end() {}, fail() {}, cut() {} };
  const [first, second] = [watches.add({ ...watch }), watches.add({ ...watch })];
  const a = object("a");
  ask(a);
  first();
  expect(ask(a)).toBe(1);
  second();
  expect(ask(a)).toBe(2);
});

it("joins the same frames once", () => {
  const frames = new SharedFrames();
  const pieces = [Buffer.from("a"), Buffer.from("b")];
  expect(frames.join(pieces).toString()).toBe("ab");
  expect(frames.join([...pieces])).toBe(frames.join(pieces));
});

it("joins other frames anew, and returns a single one unchanged", () => {
  const frames = new SharedFrames();
  const [a, b, c] = ["a", "b", "c"].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
  expect(frames.join([a])).toBe(a);
  const texts = [[a, b], [a, c], [b, c], [a, b, c], [a, b], []].map((each) => frames.join(each).toString());
  expect(texts).toEqual(["ab", "ac", "bc", "abc", "ab", ""]);
});
