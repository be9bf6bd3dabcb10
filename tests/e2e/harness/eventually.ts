import { vi } from "vitest";

/** Repeats the check until it neither throws nor rejects. If the test fails, it shows the last error. */
export function eventually<T>(check: () => T | Promise<T>, timeoutMs = 30_000): Promise<T> {
  return vi.waitFor(check, { timeout: timeoutMs, interval: 25 });
}
