import { vi } from "vitest";

/** Tries until the check neither throws nor rejects. What it last threw is what a failing test shows. */
export function eventually<T>(check: () => T | Promise<T>, timeoutMs = 30_000): Promise<T> {
  return vi.waitFor(check, { timeout: timeoutMs, interval: 25 });
}
