import { expect, it } from "vitest";
import { Backoff } from "./backoff.ts";

it("doubles up to its maximum and can be reset", () => {
  const backoff = new Backoff({ baseMs: 100, maxMs: 350 });
  expect([backoff.next(), backoff.next(), backoff.next(), backoff.next()]).toEqual([100, 200, 350, 350]);
  backoff.reset();
  expect(backoff.next()).toBe(100);
});

it("treats undefined as absent", () => {
  const backoff = new Backoff({
    baseMs: 100,
    maxMs: undefined,
    factor: undefined,
    jitter: undefined,
    random: undefined,
  });
  expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([100, 200, 400]);
});

it("increases each delay by jitter", () => {
  const backoff = new Backoff({ baseMs: 100, factor: 1, jitter: 0.5, random: () => 0.5 });
  expect(backoff.next()).toBe(125);
});

it.each([
  [{ baseMs: 0 }, "baseMs must be positive, got 0"],
  [{ baseMs: 2, maxMs: 1 }, "maxMs must not be below baseMs, got 1 < 2"],
  [{ baseMs: 1, factor: 0.5 }, "factor must be at least 1, got 0.5"],
  [{ baseMs: 1, jitter: -1 }, "jitter must not be negative, got -1"],
])("refuses %o", (options, message) => {
  expect(() => new Backoff(options)).toThrow(new RangeError(message));
});
