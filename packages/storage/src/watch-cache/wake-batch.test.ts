import { expect, it } from "vitest";
import { untilHeard, WakeBatch } from "./wake-batch.ts";

it("wakes once for what one turn brought", async () => {
  const batch = new WakeBatch();
  const woken: string[] = [];
  batch.add(() => woken.push("a"));
  batch.add(() => woken.push("b"));
  expect(woken).toEqual([]);
  await untilHeard();
  expect(woken).toEqual(["a", "b"]);
});

it("lets those who were woken write before it is over", async () => {
  const batch = new WakeBatch();
  const seen: string[] = [];
  batch.add(() => {
    seen.push("woken");
    setImmediate(() => seen.push("written"));
  });
  await untilHeard();
  seen.push("next change");
  expect(seen).toEqual(["woken", "written", "next change"]);
});
