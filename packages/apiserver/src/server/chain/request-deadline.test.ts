import { expect, it } from "vitest";
import { requestDeadlineMs } from "./request-deadline.ts";

const asked = (timeout: string): number => requestDeadlineMs(new URLSearchParams({ timeout }), 60_000);

it("gives a request its requested timeout, up to the server's", () => {
  expect(requestDeadlineMs(new URLSearchParams(), 60_000)).toBe(60_000);
  expect(asked("1500ms")).toBe(1_500);
  expect(asked("3m")).toBe(60_000);
  expect(asked("0s")).toBe(60_000);
});

it("rejects an invalid timeout with upstream's message", () => {
  expect(() => asked("invalid")).toThrow(
    'invalid timeout specified in the request URL - time: invalid duration "invalid"',
  );
  expect(() => asked("5")).toThrow('invalid timeout specified in the request URL - time: missing unit in duration "5"');
  expect(() => asked("5é")).toThrow('- time: unknown unit "\\xc3\\xa9" in duration "5\\xc3\\xa9"');
});
