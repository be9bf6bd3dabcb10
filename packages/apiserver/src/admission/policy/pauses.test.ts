import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Pauses } from "./pauses.ts";

it("yields after ten milliseconds, and ends when nobody waits", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const pauses = new Pauses(stop.signal, clock);
  let others = 0;
  const give = async (): Promise<number> => {
    others = 0;
    const other = setImmediate(() => others++);
    await pauses.give();
    clearImmediate(other);
    return others;
  };
  await clock.advance(9);
  expect(await give()).toBe(0);
  await clock.advance(1);
  expect(await give()).toBe(1);
  expect(await give()).toBe(0);
  stop.abort(new Error("gone"));
  expect(await give()).toBe(0);
  await clock.advance(10);
  await expect(give()).rejects.toThrow("gone");
});
