import { afterEach, expect, it, vi } from "vitest";
import { deepFreeze, freezesByDefault } from "./freeze.ts";

afterEach(() => vi.unstubAllEnvs());

it("freezes every level, and what is frozen already only once", () => {
  const value = deepFreeze({ a: { b: [{ c: 1 }] }, d: null });
  expect([value, value.a, value.a.b, value.a.b[0]].every((part) => Object.isFrozen(part))).toBe(true);
  expect(deepFreeze(value)).toBe(value);
});

it("is on by default everywhere but in production", () => {
  expect(freezesByDefault()).toBe(true);
  vi.stubEnv("NODE_ENV", "production");
  expect(freezesByDefault()).toBe(false);
});
