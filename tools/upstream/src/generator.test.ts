import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const needs = { meta: { needs: "Go on the PATH" } };

const hasGo = spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;

if (!hasGo) console.warn("not run: tests of the type generator, because Go is not installed");

it.skipIf(!hasGo)("the type generator passes its Go tests", { ...needs, timeout: 120_000 }, () => {
  const folder = join(import.meta.dirname, "..", "go");
  const { status, stdout } = spawnSync("go", ["test", "./..."], { cwd: folder, encoding: "utf8" });
  expect(status, stdout).toBe(0);
});
