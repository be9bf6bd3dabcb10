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
  it("round the surge up and unavailability down", () => {
    expect(rolloutBounds({ maxSurge: "25%", maxUnavailable: "25%" }, 10)).toEqual({ maxSurge: 3, maxUnavailable: 2 });
  });

  it("allow one unavailable replica if both are 0", () => {
    expect(rolloutBounds({ maxSurge: 0, maxUnavailable: "10%" }, 3)).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    expect(rolloutBounds({ maxSurge: 0, maxUnavailable: 2 }, 3)).toEqual({ maxSurge: 0, maxUnavailable: 2 });
    expect(rolloutBounds({ maxSurge: 1, maxUnavailable: 0 }, 3)).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(rolloutBounds(undefined, 3)).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  });

  it("allow at most the desired number to be unavailable", () => {
    expect(rolloutBounds({ maxSurge: 1, maxUnavailable: 5 }, 3)).toEqual({ maxSurge: 1, maxUnavailable: 3 });
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

  it("removes unavailable old replicas first", () => {
    const old = [set("broken", 2, 0), set("healthy", 8)];
    expect(rollingStep(10, { maxSurge: 0, maxUnavailable: 2 }, set("new", 0, 0), old)).toEqual(
      new Map([["broken", 0]]),
    );
  });

  it("removes the oldest first, and unavailable replicas of all sets before available ones", () => {
    const day = (n: number) => `2026-01-0${n}T00:00:00Z`;
    const old = [set("late", 4, 3, day(3)), set("early", 4, 3, day(1)), set("middle", 1, 0, day(2))];
    const none = set("new", 0);
    expect(rollingStep(9, { maxSurge: 0, maxUnavailable: 3 }, none, old)).toEqual(
      new Map([
        ["early", 3],
        ["middle", 0],
        ["late", 3],
      ]),
    );
    expect(rollingStep(9, { maxSurge: 0, maxUnavailable: 5 }, none, old)).toEqual(
      new Map([
        ["early", 1],
        ["middle", 0],
        ["late", 3],
      ]),
    );
    expect(rollingStep(9, { maxSurge: 0, maxUnavailable: 1 }, none, old)).toEqual(new Map([["early", 3]]));
    expect(rollingStep(9, { maxSurge: 0, maxUnavailable: 8 }, none, old)).toEqual(
      new Map([
        ["early", 0],
        ["middle", 0],
        ["late", 1],
      ]),
    );
  });

  it("removes no old replica while the new set's are unavailable", () => {
    const limits = { maxSurge: 1, maxUnavailable: 0 };
    expect(rollingStep(2, limits, set("new", 1, 0), [set("old", 2)])).toEqual(new Map());
    expect(rollingStep(2, limits, set("new", 1), [set("old", 2)])).toEqual(new Map([["old", 1]]));
  });

  it("does nothing when complete", () => {
    expect(rollingStep(3, bounds, set("new", 3), [])).toEqual(new Map());
    expect(rollingStep(3, bounds, set("new", 3), [set("old", 0)])).toEqual(new Map());
  });

  it("does not grow the new set beyond the desired size", () => {
    expect(rollingStep(4, bounds, set("new", 3), [set("old", 1)])).toEqual(new Map([["new", 4]]));
    expect(rollingStep(4, { maxSurge: 1, maxUnavailable: 0 }, set("new", 3), [set("old", 1)])).toEqual(
      new Map([["new", 4]]),
    );
  });

  it("shrinks a new set that is too large", () => {
    expect(rollingStep(2, bounds, set("new", 5), [])).toEqual(new Map([["new", 2]]));
  });

  it("always ends with only the new set, and never violates the bounds", () => {
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
  it("spreads a change by size and gives the remainder to the largest", () => {
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

  it("corrects rounding in the largest set, in both directions", () => {
    const named = (...sizes: [string, number][]) => new Map(sizes);
    expect(proportionalScaling(10, [set("a", 2), set("b", 2), set("c", 3)])).toEqual(
      named(["a", 3], ["b", 3], ["c", 4]),
    );
    // 4/3 rounds down for all three, which leaves one over; 5/3 rounds up for all three, which takes one too many.
    expect(proportionalScaling(4, [set("a", 1), set("b", 1), set("c", 1)])).toEqual(
      named(["a", 2], ["b", 1], ["c", 1]),
    );
    expect(proportionalScaling(5, [set("a", 1), set("b", 1), set("c", 1)])).toEqual(
      named(["a", 2], ["b", 2], ["c", 1]),
    );
    expect(proportionalScaling(4, [set("a", 2), set("b", 2), set("c", 2)])).toEqual(
      named(["a", 1], ["b", 1], ["c", 2]),
    );
    expect(proportionalScaling(5, [set("a", 3), set("b", 3), set("c", 3)])).toEqual(
      named(["a", 1], ["b", 2], ["c", 2]),
    );
  });

  it("prefers the newest of equal sets for growing, and the oldest for shrinking", () => {
    const equals = [set("old", 1, 1, "2026-01-01T00:00:00Z"), set("new", 1, 1, "2026-01-02T00:00:00Z")];
    expect(proportionalScaling(3, equals)).toEqual(
      new Map([
        ["new", 2],
        ["old", 1],
      ]),
    );
    const larger = equals.map((one) => ({ ...one, replicas: 2 }));
    expect(proportionalScaling(3, larger)).toEqual(
      new Map([
        ["old", 1],
        ["new", 2],
      ]),
    );
  });

  it("scales to 0, and nowhere from 0", () => {
    expect(proportionalScaling(0, [set("a", 2), set("b", 1)])).toEqual(
      new Map([
        ["a", 0],
        ["b", 0],
      ]),
    );
    expect(proportionalScaling(5, [set("a", 0)])).toEqual(new Map());
    expect(proportionalScaling(5, [])).toEqual(new Map());
  });

  it("changes nothing if nothing must change", () => {
    expect(proportionalScaling(10, [set("a", 8), set("b", 2)])).toEqual(new Map());
  });
});
