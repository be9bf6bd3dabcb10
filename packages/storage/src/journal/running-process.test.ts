import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isRunning, startOf } from "./running-process.ts";

const needs = { meta: { needs: "Linux" } };

const onLinux = test.runIf(existsSync("/proc/self/stat"));

test.each([Number.NaN, 0, -1, 1.5])("%d is not the number of a process", (pid) => {
  expect(isRunning(pid, "")).toBe(false);
});

test("this process runs, and one that ended does not", async () => {
  expect(isRunning(process.pid, startOf(process.pid) ?? "")).toBe(true);
  expect(isRunning(process.pid, "")).toBe(true);
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  expect(isRunning(child.pid ?? 0, "")).toBe(false);
  expect(startOf(child.pid ?? 0)).toBeUndefined();
});

onLinux("a process is known by its start", needs, () => {
  const start = startOf(process.pid);
  const [state, ...numbers] = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  expect([state, numbers[18]]).toEqual([expect.stringMatching(/^[RS]$/), start]); // the 22nd field of proc(5)
  expect(isRunning(process.pid, `${start}0`)).toBe(false);
});
