import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ForeignProcess } from "./foreign-process.ts";

const module = fileURLToPath(new URL("foreign-process.ts", import.meta.url));

/** Starts two processes in the background, and prints their IDs. */
const family = "sleep 1000 & echo $! $$; wait";

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process
  }
};

const idsIn = (output: string): number[] => output.split(/\s+/).filter(Boolean).map(Number);

it("kills everything that the program started", async () => {
  const ends: string[] = [];
  const started = new ForeignProcess({
    command: ["sh", "-c", family],
    cwd: "/",
    env: process.env,
    onEnd: (how) => void ends.push(how),
  });
  await expect.poll(() => idsIn(started.lastLines(1).join())).toHaveLength(2);
  const ids = idsIn(started.lastLines(1).join());
  expect(ids.map(isAlive)).toEqual([true, true]);
  await started.stop();
  expect(started.isAlive).toBe(false);
  await expect.poll(() => ids.map(isAlive)).toEqual([false, false]);
  expect(ends).toEqual([]);
});

it("kills everything that the program started, and deletes the folder, if this process is killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "foreign-process-"));
  const code = `
    import { ForeignProcess } from ${JSON.stringify(module)};
    const started = new ForeignProcess({ command: ["sh", "-c", ${JSON.stringify(family)}], cwd: "/",
      env: process.env, folder: ${JSON.stringify(folder)}, onEnd() {} });
    const timer = setInterval(() => {
      const [line] = started.lastLines(1);
      if (!line) return;
      console.log(line);
      process.kill(process.pid, "SIGKILL");
    }, 20);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const ids = idsIn(output);
  expect(ids).toHaveLength(2);
  await expect.poll(() => ids.map(isAlive)).toEqual([false, false]);
  expect(existsSync(folder)).toBe(false);
});

it("reports how a program ends by itself, also if it leaves a process behind", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const started = new ForeignProcess({
    command: ["sh", "-c", "sleep 1000 & echo $!; exit 3"],
    cwd: "/",
    env: process.env,
    onEnd: resolve,
  });
  expect(await promise).toBe("exited with code 3");
  await started.stop();
  const ids = idsIn(started.lastLines(1).join());
  expect(ids).toHaveLength(1);
  await expect.poll(() => ids.map(isAlive)).toEqual([false]);
});
