import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { bodyText } from "./body-text.ts";

const clock = new FakeClock();

/** A request whose body arrives in these chunks, and then breaks off or ends. */
function sent(pieces: readonly string[], breaksOff = false): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  for (const piece of pieces) request.push(Buffer.from(piece));
  if (breaksOff) setImmediate(() => request.destroy(new Error("aborted")));
  else request.push(null);
  return request;
}

it("reads up to the maximum number of bytes, in any chunks, and no more", async () => {
  expect(await bodyText(sent([]), 4, clock)).toBe("");
  expect(await bodyText(sent(["abcd"]), 4, clock)).toBe("abcd");
  expect(await bodyText(sent(["a", "b", "c", "d"]), 4, clock)).toBe("abcd");
  expect(await bodyText(sent(["abcde"]), 4, clock)).toBeUndefined();
  expect(await bodyText(sent(["a", "b", "c", "d", "e"]), 4, clock)).toBeUndefined();
  expect(await bodyText(sent(["äöü"]), 5, clock)).toBeUndefined();
  expect(await bodyText(sent([" ä\n"]), 4, clock)).toBe(" ä\n");
});

it("returns undefined for a body that breaks off", async () => {
  expect(await bodyText(sent(["ab"], true), 4, clock)).toBeUndefined();
});

it("waits at most 5 seconds for a body, even if it arrives slowly", async () => {
  const request = new IncomingMessage(new Socket());
  const text = bodyText(request, 4, clock);
  let isOver = false;
  void text.then(() => (isOver = true));
  await clock.advance(4_999);
  request.push(Buffer.from("a"));
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect([await text, clock.waiting]).toEqual([undefined, 0]);
});
