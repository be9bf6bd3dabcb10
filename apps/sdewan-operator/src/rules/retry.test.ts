import { OpenWrtError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { deleteRetryDelayMs, retryDelayMs } from "./retry.ts";

describe("retryDelayMs", () => {
  it("retries in 5 s if the CNF waits for a precondition", () => {
    expect([1, 5, 50].map((failures) => retryDelayMs(new OpenWrtError(428, ""), failures))).toEqual([
      5_000, 5_000, 5_000,
    ]);
  });

  it("waits longer after each failure, up to minutes for refusals", () => {
    const delays = (error: unknown): number[] => [1, 2, 3, 100].map((failures) => retryDelayMs(error, failures));
    expect(delays(new OpenWrtError(400, ""))).toEqual([1_000, 2_000, 4_000, 300_000]);
    expect(delays(new OpenWrtError(500, ""))).toEqual([1_000, 2_000, 4_000, 60_000]);
    expect(delays(new TypeError("connect ECONNREFUSED"))).toEqual([1_000, 2_000, 4_000, 60_000]);
  });

  it("retries every 5 s to delete an object in use", () => {
    expect(deleteRetryDelayMs(new OpenWrtError(400, ""), 9)).toBe(5_000);
    expect(deleteRetryDelayMs(new OpenWrtError(500, ""), 2)).toBe(2_000);
  });
});
