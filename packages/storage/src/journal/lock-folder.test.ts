import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kubewright/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LockFolder, own } from "./lock-folder.ts";
import { isListening, listening } from "./lock-socket.ts";
import { startOf } from "./running-process.ts";

const needs = { meta: { needs: "Linux" } };

let directory = "";
let folder: LockFolder;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "folder-"));
  folder = new LockFolder(directory);
});
afterEach(() => {
  folder.close();
  rmSync(directory, { recursive: true, force: true });
});
const make = (name: string, content = ""): void => writeFileSync(folder.path(name), content);
const parent = `${process.ppid} ${startOf(process.ppid) ?? ""}\n`;

const onLinux = test.runIf(existsSync("/proc/self/stat"));

onLinux(
  "entries of processes that live are found, oldest first, but not one's own, and others are removed",
  needs,
  async () => {
    make("lock-2-1-x", parent);
    make("lock-1-1-y", parent);
    make("lock-3-1-own", parent);
    make("lock-4-1-ended", "999999999 1\n");
    make("lock-5-1-later", `${process.ppid} 1\n`);
    make("lock-6-1-mine", `${process.pid} 1\n`);
    make("other", parent);
    expect(await folder.living("lock-3-1-own")).toEqual(["lock-1-1-y", "lock-2-1-x"]);
    expect(readdirSync(directory).sort()).toEqual(["lock-1-1-y", "lock-2-1-x", "lock-3-1-own", "other"]);
  },
);

test("a file of this process is an entry only where it was made by it", async () => {
  make("lock-1-1-mine", `${process.pid} 1\n`);
  own.add(folder.path("lock-1-1-mine"));
  expect(await folder.living("")).toEqual(["lock-1-1-mine"]);
  own.delete(folder.path("lock-1-1-mine"));
  expect(await folder.living("")).toEqual([]);
});

test("drafts do not count as entries, and are removed after a minute", async () => {
  const now = systemClock.now();
  make(`lock-${now}-1-new.draft`, parent);
  make(`lock-${now - 55_000}-1-recent.draft`, parent);
  make(`lock-${now - 61_000}-1-old.draft`, parent);
  expect(await folder.living("")).toEqual([]);
  expect(
    readdirSync(directory)
      .map((name) => name.split("-")[3])
      .sort(),
  ).toEqual(["new.draft", "recent.draft"]);
});

test("sockets are entries as long as somebody listens on them", async () => {
  const server = await listening(folder.socketPath("lock-1-1-socket"));
  expect(server).toBeDefined();
  expect(await folder.living("")).toEqual(["lock-1-1-socket"]);
  expect(await isListening(folder.path("lock-1-1-socket"))).toBe(true);
  server?.close();
  expect(await folder.living("")).toEqual([]);
  expect(await isListening(folder.path("lock-1-1-socket"))).toBe(false);
});

test("a folder that cannot hold a socket has none", async () => {
  expect(await listening(join(directory, "absent", "socket"))).toBeUndefined();
  make("taken");
  expect(await listening(folder.path("taken"))).toBeUndefined();
});

test("a path counts as listened on unless the system refuses the connection", async () => {
  make("file");
  expect(await isListening(folder.path("absent"))).toBe(false);
  expect(await isListening(join(folder.path("file"), "below"))).toBe(true);
});

test("the holder of an entry is in its name, or in it", () => {
  make("lock", "77 1\n");
  expect(folder.holderOf("lock-1-42-x")).toBe("42");
  expect(folder.holderOf("lock")).toBe("77");
  expect(folder.holderOf("lock-1")).toBe("unknown");
});

onLinux("a socket has a short path, however long the folder's is", needs, async () => {
  expect(folder.socketPath("a")).toBe(join(directory, "a"));
  const fits = "a".repeat(100 - directory.length - 1);
  expect(folder.socketPath(fits)).toBe(join(directory, fits));
  const long = join(directory, "b".repeat(120));
  mkdirSync(long);
  const deep = new LockFolder(long);
  const path = deep.socketPath("s");
  expect(path.length).toBeLessThanOrEqual(100);
  expect(deep.socketPath("s")).toBe(path);
  const server = await listening(path);
  expect(readdirSync(long)).toEqual(["s"]);
  server?.close();
  deep.close();
  deep.close();
});
