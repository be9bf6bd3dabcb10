import { expect, it } from "vitest";
import { checkedResult, type Result } from "./request.ts";

/** The result as an untyped program returns it. */
const returned = (value: unknown): Result => checkedResult(value as Result);

it.each([undefined, null, true, 5, "later"])("treats %s as done", (value) => {
  expect(returned(value)).toEqual({});
});

it.each([{}, { requeue: true }, { requeueAfterMs: 0 }, { requeueAfterMs: 60_000, priority: 1 }])(
  "takes %s",
  (value) => {
    expect(returned(value)).toBe(value);
  },
);

it.each([-5, Number.NaN, Number.POSITIVE_INFINITY, null, 5n])("reports an invalid requeueAfterMs %s", (value) => {
  expect(() => returned({ requeueAfterMs: value })).toThrow(`reconcile returned requeueAfterMs ${value}; use milli`);
});

it("reports texts, and names of other libraries", () => {
  expect(() => returned({ requeueAfterMs: "5s" })).toThrow('reconcile returned requeueAfterMs "5s"; use milliseconds');
  for (const name of ["requeueAfter", "RequeueAfter", "Requeue"])
    expect(() => returned({ [name]: 1 })).toThrow(`reconcile returned the unknown field ${name}; use { requeueA`);
});
