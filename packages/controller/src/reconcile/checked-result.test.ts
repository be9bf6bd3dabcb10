import { expect, it } from "vitest";
import { checkedResult } from "./checked-result.ts";
import type { Result } from "./request.ts";

/** As a program without types returns it. */
const returned = (value: unknown): Result => checkedResult(value as Result);

it.each([undefined, null, true, 5, "later"])("takes %s for nothing to do", (value) => {
  expect(returned(value)).toEqual({});
});

it.each([{}, { requeue: true }, { requeueAfterMs: 0 }, { requeueAfterMs: 60_000, priority: 1 }])(
  "takes %s",
  (value) => {
    expect(returned(value)).toBe(value);
  },
);

it.each([-5, Number.NaN, Number.POSITIVE_INFINITY, null, 5n])("names requeueAfterMs %s, which is no time", (value) => {
  expect(() => returned({ requeueAfterMs: value })).toThrow(`reconcile returned requeueAfterMs ${value}: want milli`);
});

it("names texts, and what the field is called elsewhere", () => {
  expect(() => returned({ requeueAfterMs: "5s" })).toThrow('reconcile returned requeueAfterMs "5s": want milliseconds');
  for (const name of ["requeueAfter", "RequeueAfter", "Requeue"])
    expect(() => returned({ [name]: 1 })).toThrow(
      `reconcile returned ${name}: there is no such field: want { requeueA`,
    );
});
