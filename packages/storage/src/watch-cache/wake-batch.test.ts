import { expect, it } from "vitest";
import { WakeBatch, watchersNotified } from "./wake-batch.ts";

it("wakes once for the events of one turn", async () => {
  const batch = new WakeBatch();
  const woken: string[] = [];
  batch.add(() => woken.push("a"));
  batch.add(() => woken.push("b"));
  expect(woken).toEqual([]);
  await watchersNotified();
  expect(woken).toEqual(["a", "b"]);
});

it("lets woken readers write before it resolves", async () => {
  const batch = new WakeBatch();
  const seen: string[] = [];
  batch.add(() => {
    seen.push("woken");
    setImmediate(() => seen.push("written"));
  });
  await watchersNotified();
  seen.push("next change");
  expect(seen).toEqual(["woken", "written", "next change"]);
});
