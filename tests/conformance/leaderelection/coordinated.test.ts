import { FakeClock } from "@kubewright/clock/testing";
import { isNotLeadingError } from "@kubewright/leader-election";
import { describe, expect, it } from "vitest";
import { candidate, heldBy, LeaseStore } from "./contested-lock.ts";

describe("coordinated election", () => {
  const coordinated = { coordinated: true };

  it.each([undefined, heldBy(""), heldBy("b")])("LE-027 does not take a lease on its own: %o", async (found) => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = found;
    const { elector, end } = candidate(store, clock, coordinated);
    await clock.advance(60_000);
    expect(new Set(store.calls)).toEqual(new Set(["get"]));
    expect(store.record).toBe(found);
    expect(elector.leads).toBe(false);
    await end();
  });

  it("LE-028 renews a lease that names it, by reading and updating", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("a", { acquireTimeMs: 42, strategy: "OldestEmulationVersion" });
    const { elector, end } = candidate(store, clock, coordinated);
    await clock.advance(2_000);
    expect(store.calls).toEqual(["get", "update", "get", "update"]);
    expect(elector.leads).toBe(true);
    expect(store.record).toMatchObject({
      ...heldBy("a", { acquireTimeMs: 42, strategy: "OldestEmulationVersion" }),
      renewTimeMs: clock.now(),
    });
    await end();
  });

  it("LE-028 lets the lease expire once another candidate is preferred", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("a");
    const { elector, ended } = candidate(store, clock, coordinated);
    await clock.advance(1_000);
    const preferring = { ...heldBy("a"), preferredHolder: "b" };
    store.record = preferring;
    await clock.advance(10_000);
    expect(store.record).toBe(preferring);
    expect(elector.leads).toBe(false);
    expect(isNotLeadingError(ended())).toBe(true);
  });
});
