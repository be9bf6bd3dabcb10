import { conflict, isConflict } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { defaultBackoff, defaultRetry, retryOnError } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";

/** Returns a clock whose sleeps end at once and are recorded. */
function instantClock(): { clock: Clock; slept: number[] } {
  const slept: number[] = [];
  const clock = new FakeClock();
  clock.sleep = async (ms) => {
    slept.push(ms);
  };
  return { clock, slept };
}

const refused = conflict({ group: "", resource: "pods" }, "web", "changed meanwhile");

describe("conflict retry", () => {
  it("WQ-056 retries only after conflicts, a limited number of times, and then throws the last one", async () => {
    const { clock } = instantClock();
    const options = { steps: 2, isRetriable: isConflict, clock };
    let tries = 0;
    await expect(
      retryOnError(() => {
        tries++;
        throw refused;
      }, options),
    ).rejects.toBe(refused);
    expect(tries).toBe(2);

    const other = new Error("other");
    await expect(retryOnError(() => Promise.reject(other), options)).rejects.toBe(other);
    expect(await retryOnError(() => "written", options)).toBe("written");

    tries = 0;
    const second = await retryOnError(() => (tries++ === 0 ? Promise.reject(refused) : "written"), options);
    expect([second, tries]).toEqual(["written", 2]);
  });

  it("WQ-057 throws a cancellation unchanged", async () => {
    const { clock } = instantClock();
    const cancelled = new DOMException("cancelled", "AbortError");
    await expect(retryOnError(() => Promise.reject(cancelled), { isRetriable: isConflict, clock })).rejects.toBe(
      cancelled,
    );
  });

  it("WQ-058 has upstream's steps", async () => {
    expect(defaultRetry).toEqual({ steps: 5, waitMs: 10, factor: 1, jitter: 0.1 });
    expect(defaultBackoff).toEqual({ steps: 4, waitMs: 10, factor: 5, jitter: 0.1 });
    const { clock, slept } = instantClock();
    const alwaysRefused = (): Promise<never> => Promise.reject(refused);
    await retryOnError(alwaysRefused, { isRetriable: isConflict, clock, random: () => 0 }).catch(isConflict);
    await retryOnError(alwaysRefused, { ...defaultBackoff, isRetriable: isConflict, clock, random: () => 0 }).catch(
      isConflict,
    );
    expect(slept).toEqual([10, 10, 10, 10, 10, 50, 250]);
  });
});
