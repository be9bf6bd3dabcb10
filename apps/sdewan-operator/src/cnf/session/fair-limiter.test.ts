import { describe, expect, it } from "vitest";
import { FairLimiter } from "./fair-limiter.ts";

/** Starts work that begins when it is its turn, and ends on request. */
function start(slots: number) {
  const limiter = new FairLimiter(slots);
  const begun: string[] = [];
  const ends = new Map<string, (() => void)[]>();
  const run = (owner: string, isSlow = false): void => {
    void limiter.run(
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
  return { run, begun, end, settled };
}
const count = (begun: readonly string[], owner: string): number => begun.filter((each) => each === owner).length;

describe("FairLimiter", () => {
  it("keeps a place for new owners, however much work others have", async () => {
    const { run, begun, settled } = start(8);
    for (let index = 0; index < 1_000; index++) run("a");
    await settled();
    expect(begun).toHaveLength(6);
    run("b");
    run("c");
    run("d");
    await settled();
    expect(begun.slice(6)).toEqual(["b", "c"]);
  });

  it("lets owners take turns, and keeps the order of each owner's work", async () => {
    const { run, begun, end, settled } = start(1);
    for (const owner of ["a", "a", "a", "b", "c", "b"]) run(owner);
    await settled();
    for (const owner of ["a", "a", "b", "c", "a", "b"]) {
      expect(begun.at(-1)).toBe(owner);
      await end(owner);
    }
    expect(begun).toHaveLength(6);
  });

  it("leaves half of the places to owners that are not slow", async () => {
    const { run, begun, end, settled } = start(8);
    for (let index = 0; index < 100; index++) run(`slow${index}`, true);
    await settled();
    expect(begun).toHaveLength(4);
    for (let index = 0; index < 100; index++) run(`fast${index}`);
    await settled();
    expect(begun.slice(4)).toEqual(["fast0", "fast1", "fast2", "fast3"]);
    await end("slow0");
    expect(begun.at(-1)).toBe("slow4");
  });

  it("frees the place of failed work, and keeps no state of owners without work", async () => {
    const limiter = new FairLimiter(1);
    const fails = () => Promise.reject(new Error("no"));
    await expect(limiter.run("a", () => false, fails)).rejects.toThrow("no");
    expect(
      await limiter.run(
        "b",
        () => false,
        () => Promise.resolve(7),
      ),
    ).toBe(7);
  });

  it("gives one owner all places but the last quarter, and all places if there are few", async () => {
    for (const [slots, most] of [
      [1, 1],
      [3, 3],
      [4, 3],
      [32, 24],
    ] as const) {
      const { run, begun, settled } = start(slots);
      for (let index = 0; index < 100; index++) run("a");
      await settled();
      expect([slots, count(begun, "a")]).toEqual([slots, most]);
    }
  });
});
