import { describe, expect, it } from "vitest";
import { proportionalScaling, type ReplicaSetSize, rollingStep, rolloutBounds } from "./rolling-update.ts";

const set = (
  name: string,
  replicas: number,
  available = replicas,
  created = "2026-01-01T00:00:00Z",
): ReplicaSetSize => ({
  name,
  replicas,
  available,
  created,
});

describe("the bounds of a rollout", () => {
  it("round the surge up and what may be missing down", () => {
    expect(rolloutBounds({ maxSurge: "25%", maxUnavailable: "25%" }, 10)).toEqual({ maxSurge: 3, maxUnavailable: 2 });
  });

  it("let one be missing where both would be 0", () => {
    expect(rolloutBounds({ maxSurge: 0, maxUnavailable: "10%" }, 3)).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  });
});

describe("a step of a rolling update", () => {
  const bounds = { maxSurge: 3, maxUnavailable: 2 };

  it("grows the new set as far as the surge allows", () => {
    expect(rollingStep(10, bounds, set("new", 0), [set("old", 10)])).toEqual(new Map([["new", 3]]));
  });

  it("shrinks the old set as far as availability allows, once the surge is used up", () => {
    expect(rollingStep(10, bounds, set("new", 3, 0), [set("old", 10)])).toEqual(new Map([["old", 8]]));
    expect(rollingStep(10, bounds, set("new", 3, 3), [set("old", 10)])).toEqual(new Map([["old", 5]]));
  });

  it("gives up old replicas that are not available first", () => {
    const old = [set("broken", 2, 0), set("healthy", 8)];
    expect(rollingStep(10, { maxSurge: 0, maxUnavailable: 2 }, set("new", 0, 0), old)).toEqual(
      new Map([["broken", 0]]),
    );
  });

  it("gives up replicas of a new set that is too large", () => {
    expect(rollingStep(2, bounds, set("new", 5), [])).toEqual(new Map([["new", 2]]));
  });

  it("always ends with only the new set, and never leaves the bounds on the way", () => {
    for (let replicas = 1; replicas <= 20; replicas++) {
      const limits = rolloutBounds({ maxSurge: "25%", maxUnavailable: "25%" }, replicas);
      let [fresh, old] = [set("new", 0), set("old", replicas)];
      for (let steps = 0; old.replicas > 0 || fresh.replicas < replicas; steps++) {
        expect(steps).toBeLessThan(100);
        const scaling = rollingStep(replicas, limits, fresh, old.replicas > 0 ? [old] : []);
        fresh = set("new", scaling.get("new") ?? fresh.replicas);
        old = set("old", scaling.get("old") ?? old.replicas);
        expect(fresh.replicas + old.replicas).toBeLessThanOrEqual(replicas + limits.maxSurge);
        expect(fresh.replicas + old.replicas).toBeGreaterThanOrEqual(replicas - limits.maxUnavailable);
      }
    }
  });
});

describe("proportional scaling", () => {
  it("spreads a change by size and gives the largest what is left", () => {
    expect(proportionalScaling(15, [set("a", 8), set("b", 2)])).toEqual(
      new Map([
        ["a", 12],
        ["b", 3],
      ]),
    );
    expect(proportionalScaling(12, [set("a", 5), set("b", 5, 5, "2026-01-02T00:00:00Z")])).toEqual(
      new Map([
        ["b", 6],
        ["a", 6],
      ]),
    );
    expect(proportionalScaling(5, [set("a", 8), set("b", 2)])).toEqual(
      new Map([
        ["a", 4],
        ["b", 1],
      ]),
    );
  });

  it("changes nothing where nothing is to be changed", () => {
    expect(proportionalScaling(10, [set("a", 8), set("b", 2)])).toEqual(new Map());
  });
});
