import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { LateWatch } from "./api-link.ts";

it("keeps the order of late events, even within the same millisecond", async () => {
  const clock = new FakeClock();
  const source = new TransformStream<Buffer, Buffer>();
  const events = source.writable.getWriter();
  let lagMs = 8_000;
  const watch = new LateWatch(source.readable, { clock, signal: undefined, lagMs: () => lagMs, onClosed: () => {} });
  // This timer was set earlier than that of the late event, so it fires first.
  clock.after(8_000, () => void events.write(Buffer.from("2 ")));
  await events.write(Buffer.from("1 "));
  lagMs = 0;

  await clock.advance(8_000);
  await events.write(Buffer.from("3 "));
  await events.close();
  let received = "";
  for await (const chunk of watch.body) received += chunk.toString();

  expect(received).toBe("1 2 3 ");
});
