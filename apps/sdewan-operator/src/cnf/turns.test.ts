import { describe, expect, it } from "vitest";
import { Turns } from "./turns.ts";

/** Starts work that begins when it is its turn, and ends on request. */
function start(places: number) {
  const turns = new Turns(places);
  const begun: string[] = [];
  const ends = new Map<string, (() => void)[]>();
  const take = (owner: string, isSlow = false): void => {
    void turns.take(
      owner,
      () => isSlow,
      () => {
        begun.push(owner);
        return new Promise<void>((resolve) => {
          ends.set(owner, [...(ends.get(owner) ?? []), resolve]);
        });
      },
    );
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (owner: string) => {
    ends.get(owner)?.shift()?.();
    await settled();
  };
  return { take, begun, end, settled };
}
const count = (begun: readonly string[], owner: string): number => begun.filter((each) => each === owner).length;

describe("Turns", () => {
  it("keeps a place for new owners, however much work others have", async () => {
    const { take, begun, settled } = start(8);
    for (let index = 0; index < 1_000; index++) take("a");
    await settled();
    expect(begun).toHaveLength(6);
    take("b");
    take("c");
    take("d");
    await settled();
    expect(begun.slice(6)).toEqual(["b", "c"]);
  });

  it("lets owners take turns, and keeps the order of each owner's work", async () => {
    const { take, begun, end, settled } = start(1);
    for (const owner of ["a", "a", "a", "b", "c", "b"]) take(owner);
    await settled();
    for (const owner of ["a", "a", "b", "c", "a", "b"]) {
      expect(begun.at(-1)).toBe(owner);
      await end(owner);
    }
    expect(begun).toHaveLength(6);
  });

  it("leaves half of the places to owners that are not slow", async () => {
    const { take, begun, end, settled } = start(8);
    for (let index = 0; index < 100; index++) take(`slow${index}`, true);
    await settled();
    expect(begun).toHaveLength(4);
    for (let index = 0; index < 100; index++) take(`fast${index}`);
    await settled();
    expect(begun.slice(4)).toEqual(["fast0", "fast1", "fast2", "fast3"]);
    await end("slow0");
    expect(begun.at(-1)).toBe("slow4");
  });

  it("frees the place of failed work, and keeps no state of owners without work", async () => {
    const turns = new Turns(1);
    const fails = () => Promise.reject(new Error("no"));
    await expect(turns.take("a", () => false, fails)).rejects.toThrow("no");
    expect(
      await turns.take(
        "b",
        () => false,
        () => Promise.resolve(7),
      ),
    ).toBe(7);
  });

  it("gives one owner all places but the last quarter, and all places if there are few", async () => {
    for (const [places, most] of [
      [1, 1],
      [3, 3],
      [4, 3],
      [32, 24],
    ] as const) {
      const { take, begun, settled } = start(places);
      for (let index = 0; index < 100; index++) take("a");
      await settled();
      expect([places, count(begun, "a")]).toEqual([places, most]);
    }
  });
});
