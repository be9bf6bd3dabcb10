import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { digestOf, filesOf, kept } from "./kept.ts";

let folder: string;
let made: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kept-"));
  made = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const of = (key: string, isWhole?: (value: number) => boolean) =>
  kept(join(folder, "below/what.json"), key, async () => ++made, isWhole);

it("computes a result once for the same key", async () => {
  expect(await of("a")).toEqual({ value: 1, isNew: true });
  expect(await of("a")).toEqual({ value: 1, isNew: false });
  expect(await of("b")).toEqual({ value: 2, isNew: true });
  expect(await of("a")).toEqual({ value: 3, isNew: true });
});

it("computes a result again if it no longer exists or if the cache file is truncated", async () => {
  await of("a");
  expect(await of("a", () => false)).toEqual({ value: 2, isNew: true });
  expect(await of("a", (value) => value === 2)).toEqual({ value: 2, isNew: false });
  writeFileSync(join(folder, "below/what.json"), '{"key":"a","val');
  expect(await of("a")).toEqual({ value: 3, isNew: true });
});

it("keeps nothing of what failed", async () => {
  const failing = kept(join(folder, "what.json"), "a", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await kept(join(folder, "what.json"), "a", async () => 1)).toEqual({ value: 1, isNew: true });
});

it("distinguishes files by name, content and length", () => {
  mkdirSync(join(folder, "b"));
  for (const name of ["a.ts", "b/c.ts", "b/d.md"]) writeFileSync(join(folder, name), name);
  const files = filesOf(folder, ["**/*.ts"]);
  expect([...files].map(([name, content]) => `${name} ${content}`).sort()).toEqual(["a.ts a.ts", "b/c.ts b/c.ts"]);
  const digest = (...entries: readonly (readonly [string, string])[]) => digestOf(new Map(entries));
  expect(digest(["a", "1"], ["b", "2"])).toBe(digest(["b", "2"], ["a", "1"]));
  expect(digest(["a", "1"], ["b", "2"])).not.toBe(digest(["a", "2"], ["b", "1"]));
  expect(digest(["a", "1b2"])).not.toBe(digest(["a", "1"], ["b", "2"]));
});
