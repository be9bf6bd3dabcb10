import { expect, it } from "vitest";
import { messageOf, readMessages } from "./web-socket-messages.ts";

it("reads back messages of every length, and keeps what is not whole", () => {
  for (const length of [0, 125, 126, 65_535, 65_536]) {
    const bytes = messageOf(Buffer.alloc(length, 7), true);
    const { messages, rest } = readMessages(Buffer.concat([bytes, bytes.subarray(0, -1)]));
    expect(messages.map(({ payload }) => payload.length)).toEqual([length]);
    expect(rest.length).toBe(bytes.length - 1);
  }
});
