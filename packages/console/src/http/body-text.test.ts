import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { bodyText } from "./body-text.ts";

/** A request whose body comes in these pieces, and then breaks off or ends. */
function sent(pieces: readonly string[], breaksOff = false): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  for (const piece of pieces) request.push(Buffer.from(piece));
  if (breaksOff) setImmediate(() => request.destroy(new Error("aborted")));
  else request.push(null);
  return request;
}

it("reads as many bytes as it may, however they come, and gives up one further", async () => {
  expect(await bodyText(sent([]), 4)).toBe("");
  expect(await bodyText(sent(["abcd"]), 4)).toBe("abcd");
  expect(await bodyText(sent(["a", "b", "c", "d"]), 4)).toBe("abcd");
  expect(await bodyText(sent(["abcde"]), 4)).toBeUndefined();
  expect(await bodyText(sent(["a", "b", "c", "d", "e"]), 4)).toBeUndefined();
  expect(await bodyText(sent(["äöü"]), 5)).toBeUndefined();
  expect(await bodyText(sent([" ä\n"]), 4)).toBe("ä");
});

it("has nothing of a body that breaks off", async () => {
  expect(await bodyText(sent(["ab"], true), 4)).toBeUndefined();
});
