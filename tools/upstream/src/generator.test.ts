import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const hasGo = spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;

if (!hasGo) console.warn("not run: the tests of the generator of types, since Go is not on this machine");

it.skipIf(!hasGo)("the generator of types reads Go as its tests say", { timeout: 120_000 }, () => {
  const folder = join(import.meta.dirname, "..", "go");
  const { status, stdout } = spawnSync("go", ["test", "./..."], { cwd: folder, encoding: "utf8" });
  expect(status, stdout).toBe(0);
});
