import { expect, it } from "vitest";
import { Backoff } from "./backoff.ts";
import { FakeClock } from "./testing/fake-clock.ts";

it("does what the README shows", async () => {
  const clock = new FakeClock();
  const backoff = new Backoff({ baseMs: 100, maxMs: 1_000 });

  const slept = clock.sleep(backoff.next()).then(() => "awake");
  await clock.advance(100);
  expect(await slept).toBe("awake");
  expect(backoff.next()).toBe(200);
});
