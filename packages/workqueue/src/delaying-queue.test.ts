import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { DelayingQueue } from "./delaying-queue.ts";

it("adds an item once its delay has passed, not before", async () => {
  const clock = new FakeClock();
  const queue = new DelayingQueue<string>({ clock });

  queue.addAfter("default/web", 1_000);
  await clock.advance(999);
  expect(queue.size).toBe(0);

  await clock.advance(1);
  expect(queue.size).toBe(1);
});

it("keeps the causes of a delayed add separate from those of an add in between", async () => {
  const clock = new FakeClock();
  const queue = new DelayingQueue<string, string>({ clock });
  queue.addAfter("web", 1_000, "retry");
  expect(queue.causesOf("web")).toEqual(["retry"]);
  queue.add("web", "updated");
  queue.tryGet();
  expect(queue.causesOf("web")).toEqual(["updated"]);
  queue.done("web");
  await clock.advance(1_000);
  expect(queue.causesOf("web")).toEqual(["retry"]);
});
