import { expect, it } from "vitest";
import { RunningWatches } from "./running-watches.ts";
import { SharedFrames } from "./shared-frames.ts";

const object = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

/** Counts how often a frame had to be made. */
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

it("makes a frame once for all who write it at about the same time", () => {
  const ask = counted(new SharedFrames());
  const [a, b] = [object("a"), object("b")];
  expect([ask(a), ask(a), ask(b), ask(a)]).toEqual([1, 1, 2, 2]);
});

it("keeps no more than twice eight megabytes", () => {
  const ask = counted(new SharedFrames(), 3 * 1024 * 1024);
  const objects = Array.from({ length: 7 }, (_, index) => object(`o${index}`));
  for (const each of objects) ask(each);
  expect(ask(objects[6] as ReturnType<typeof object>)).toBe(7);
  expect(ask(objects[0] as ReturnType<typeof object>)).toBe(8);
});

it("keeps nothing once the last watch is over", () => {
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
