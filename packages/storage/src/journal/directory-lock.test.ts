import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockDirectory } from "./directory-lock.ts";

const needs = { meta: { needs: "Linux" } };

let root = "";
let directory = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lock-"));
  directory = root;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const lockOf = (content: string): void => writeFileSync(join(directory, "lock"), content);

const taken = async (): Promise<void> => (await lockDirectory(directory)).release();

test("a lock is held until it is released", async () => {
  const lock = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toThrow(
    `data directory ${directory} is in use by process ${process.pid}; stop that process, or use another directory`,
  );
  lock.release();
  await taken();
  expect(readdirSync(directory)).toEqual([]);
});

test("only its owner can read what a lock makes, and an attempt that fails leaves nothing", async () => {
  directory = join(root, "made", "here");
  const lock = await lockDirectory(directory);
  const [entry = ""] = readdirSync(directory);
  expect(entry).toMatch(new RegExp(`^lock-\\d{15}-${process.pid}-[0-9a-f]{12}$`));
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  expect([modeOf(directory), modeOf(join(directory, entry))]).toEqual([0o700, 0o600]);
  await expect(lockDirectory(directory)).rejects.toThrow("is in use");
  expect(readdirSync(directory)).toEqual([entry]);
  lock.release();
  expect(readdirSync(directory)).toEqual([]);
});

test("of many that come at once over a stale lock one holds it", async () => {
  for (let round = 0; round < 5; round++) {
    writeFileSync(join(directory, "lock"), "999999999\n");
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
    const held = all.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(held).toHaveLength(1);
    held[0]?.release();
  }
});

const contender = (at: number) => {
  const script = join(import.meta.dirname, "testing", "contender.ts");
  const node = ["--conditions=@kubewright/source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...node, script, directory, String(at)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = new Promise<string>((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk).trim())));
  return { child, output };
};

test("of concurrent processes one holds it, and after kill -9 the next one does", { timeout: 120_000 }, async () => {
  for (let round = 0; round < 4; round++) {
    const all = Array.from({ length: 4 }, () => contender(Date.now() + 1_500));
    const output = await Promise.all(all.map(({ output }) => output));
    const winners = all.filter((_, index) => output[index] === "held");
    expect(winners).toHaveLength(1);
    for (const { child } of all) child.kill("SIGKILL");
    await Promise.all(all.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
  }
  await taken();
});

test("a suspended process holds it", { timeout: 30_000 }, async () => {
  const { child, output } = contender(0);
  expect(await output).toBe("held");
  child.kill("SIGSTOP");
  await expect(lockDirectory(directory)).rejects.toThrow(`is in use by process ${child.pid}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  await taken();
});

test("a socket without a listener is not a lock, whatever process has its number now", async () => {
  const path = join(directory, `lock-000000000000001-${process.pid}-abc`);
  const child = spawn(process.execPath, [
    "-e",
    `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log(1))`,
  ]);
  await once(child.stdout, "data");
  await expect(lockDirectory(directory)).rejects.toThrow("is in use by process");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(statSync(path).isSocket()).toBe(true);
  await taken();
  expect(existsSync(path)).toBe(false);
});

test("a directory with a name too long for a socket is also locked", async () => {
  directory = join(directory, "a".repeat(120), "b".repeat(120));
  mkdirSync(directory, { recursive: true });
  const lock = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toThrow("is in use by process");
  lock.release();
  await taken();
});

test("a running process excludes others, even if its start time is unknown", async () => {
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  lockOf(`${other.pid}\n`);
  await expect(lockDirectory(directory)).rejects.toThrow(`is in use by process ${other.pid}`);
  other.kill("SIGKILL");
  await once(other, "exit");
  await taken();
});

test.each(["", "nonsense", "0", "-1", "999999999"])("a lock of %j is taken over", async (content) => {
  lockOf(content);
  await taken();
});

// The shell replaces itself with a program that never waits for the child that the shell started.
test.runIf(existsSync("/proc/self/stat"))(
  "a zombie process does not hold it",
  { ...needs, timeout: 30_000 },
  async () => {
    const shell = spawn("sh", ["-c", "sleep 0.3 & echo $!; exec sleep 30"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const text = await new Promise<string>((resolve) => shell.stdout.once("data", (chunk) => resolve(String(chunk))));
    lockOf(text);
    await expect
      .poll(
        () =>
          taken().then(
            () => "taken",
            (error: unknown) => String(error),
          ),
        { timeout: 20_000 },
      )
      .toBe("taken");
    expect(existsSync(`/proc/${Number(text)}`)).toBe(true);
    shell.kill();
  },
);

test.runIf(existsSync("/proc/self/stat"))("a later process with the same number does not hold it", needs, async () => {
  lockOf(`${process.ppid} 1\n`);
  await taken();
});
