import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockDirectory } from "./directory-lock.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lock-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const lockOf = (content: string): void => writeFileSync(join(directory, "lock"), content);

test("a lock is held until it is released", () => {
  const lock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(`is in use by process ${process.pid}`);
  lock.release();
  lockDirectory(directory).release();
});

test("a process that runs keeps others out, also where its start is not told", async () => {
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  lockOf(`${other.pid}\n`);
  expect(() => lockDirectory(directory)).toThrow(`is in use by process ${other.pid}`);
  const gone = new Promise((resolve) => other.once("exit", resolve));
  other.kill("SIGKILL");
  await gone;
  lockDirectory(directory).release();
});

test.each(["", "nonsense", "0", "-1", "999999999"])("a lock of %j is taken over", (content) => {
  lockOf(content);
  lockDirectory(directory).release();
});

// The shell is replaced by a program that never asks what became of the shell's child.
test.runIf(existsSync("/proc/self/stat"))("a process that ended but is still listed does not hold it", async () => {
  const shell = spawn("sh", ["-c", "sh -c 'exit 0' & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
  const text = await new Promise<string>((resolve) => shell.stdout.once("data", (chunk) => resolve(String(chunk))));
  lockOf(text);
  await expect
    .poll(() => {
      try {
        lockDirectory(directory).release();
        return "taken";
      } catch (error) {
        return String(error);
      }
    })
    .toBe("taken");
  expect(existsSync(`/proc/${Number(text)}`)).toBe(true);
  shell.kill();
});

test.runIf(existsSync("/proc/self/stat"))("a later process of the same number does not hold it", () => {
  lockOf(`${process.ppid} 1\n`);
  lockDirectory(directory).release();
});
