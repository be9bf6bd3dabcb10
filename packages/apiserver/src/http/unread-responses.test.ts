import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { ResponseMessage } from "./messages.ts";
import { UnreadResponses } from "./unread-responses.ts";

it("has no room beyond 128 MiB, until an answer ends", () => {
  const unread = new UnreadResponses();
  const answers = Array.from({ length: 2 }, () => new EventEmitter());
  for (const answer of answers) {
    expect(unread.hasRoom).toBe(true);
    unread.hold(answer as unknown as ResponseMessage, 64 * 1024 * 1024);
  }
  expect(unread.hasRoom).toBe(false);
  answers[0]?.emit("close");
  expect(unread.hasRoom).toBe(true);
});

it("compresses 32 answers at once", () => {
  const unread = new UnreadResponses();
  for (let compressor = 0; compressor < 32; compressor++) expect(unread.beginCompressor()).toBe(true);
  expect(unread.beginCompressor()).toBe(false);
  unread.endCompressor();
  expect(unread.beginCompressor()).toBe(true);
});
