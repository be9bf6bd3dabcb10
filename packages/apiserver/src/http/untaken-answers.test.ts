import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { ResponseMessage } from "./messages.ts";
import { UntakenAnswers } from "./untaken-answers.ts";

it("has no room beyond 128 MiB, until an answer ends", () => {
  const untaken = new UntakenAnswers();
  const answers = Array.from({ length: 2 }, () => new EventEmitter());
  for (const answer of answers) {
    expect(untaken.hasRoom).toBe(true);
    untaken.hold(answer as unknown as ResponseMessage, 64 * 1024 * 1024);
  }
  expect(untaken.hasRoom).toBe(false);
  answers[0]?.emit("close");
  expect(untaken.hasRoom).toBe(true);
});

it("compresses 32 answers at once", () => {
  const untaken = new UntakenAnswers();
  for (let compressor = 0; compressor < 32; compressor++) expect(untaken.beginCompressor()).toBe(true);
  expect(untaken.beginCompressor()).toBe(false);
  untaken.endCompressor();
  expect(untaken.beginCompressor()).toBe(true);
});
