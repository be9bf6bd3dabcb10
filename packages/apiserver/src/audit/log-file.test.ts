import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { FakeClock } from "@kubewright/clock/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AuditLogOptions, auditLogFile } from "./log-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "audit-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const startMs = Date.UTC(2026, 2, 1, 12);
const dayMs = 86_400_000;
const failures: unknown[] = [];
const log = (options: Partial<AuditLogOptions> = {}, nowMs = startMs) => {
  failures.length = 0;
  const clock = new FakeClock(nowMs);
  return auditLogFile(join(folder, "audit.log"), { onFailure: (error) => failures.push(error), clock, ...options });
};
const files = () => readdirSync(folder).sort();
const text = (name: string) => readFileSync(join(folder, name), "utf8");
const unlimited = Number.POSITIVE_INFINITY;
/** A line of this many KiB, including its line end. */
const line = (letter: string, kib: number) => letter.repeat(kib * 1024 - 1);

it("rotates a log only when it would exceed its maximum size", async () => {
  const sink = log({ maxSizeMb: 1 });
  sink.write(line("a", 512));
  sink.write(line("b", 512));
  sink.write("c");
  await sink.close();
  const backup = "audit-2026-03-01T12-00-00.000.log";
  expect(files()).toEqual([backup, "audit.log"]);
  expect([text(backup).length, text("audit.log"), failures]).toEqual([2 ** 20, "c\n", []]);
});

it("loses no log if two are full in the same millisecond", async () => {
  const sink = log({ maxSizeMb: 1 });
  for (const letter of "abc") sink.write(line(letter, 1024));
  await sink.close();
  expect(files()).toEqual(["audit-2026-03-01T12-00-00.000.log", "audit-2026-03-01T12-00-00.001.log", "audit.log"]);
  expect(files().map((name) => text(name)[0])).toEqual(["a", "b", "c"]);
});

it("rotates a full log of an earlier run before the first line", async () => {
  writeFileSync(join(folder, "audit.log"), line("a", 1024));
  const sink = log({ maxSizeMb: 1 });
  sink.write("b");
  await sink.close();
  expect([files().length, text("audit.log")]).toEqual([2, "b\n"]);
});

it("keeps the newest logs, deletes old ones, and ignores other files", async () => {
  const at = (ms: number) => `audit-${new Date(ms).toISOString().slice(0, -1).replaceAll(":", "-")}.log`;
  const old = [1, 2, 3, 5].map((days) => at(startMs - days * dayMs));
  const [yesterday = "", second = "", third = ""] = old;
  const others = ["audit-notes.log", "other-2020-01-01T00-00-00.000.log", "audit-2020-01-01T00-00-00.000.txt"];
  for (const name of [...old, ...others]) writeFileSync(join(folder, name), "old");
  const open = async (options: Partial<AuditLogOptions>) => {
    const sink = log(options);
    sink.write("x");
    await sink.close();
    return files().filter((name) => !others.includes(name) && name !== "audit.log");
  };
  expect(await open({ maxBackups: unlimited, maxAgeDays: 4 })).toEqual([third, second, yesterday]);
  expect(await open({ maxBackups: 2, maxAgeDays: unlimited })).toEqual([second, yesterday]);
  expect(await open({ maxBackups: unlimited, maxAgeDays: unlimited })).toEqual([second, yesterday]);
  expect(files()).toEqual(expect.arrayContaining(others));
});

it("compresses rotated logs, and counts a log once, compressed or not", async () => {
  const sink = log({ maxSizeMb: 1, compress: true, maxBackups: 1 });
  for (const letter of "abc") sink.write(line(letter, 1024));
  await sink.close();
  const backup = "audit-2026-03-01T12-00-00.001.log.gz";
  expect(files()).toEqual([backup, "audit.log"]);
  expect(gunzipSync(readFileSync(join(folder, backup))).toString()).toBe(`${line("b", 1024)}\n`);
  expect(statSync(join(folder, backup)).mode & 0o777).toBe(0o600);
});

it("refuses limits that are not positive", () => {
  for (const name of ["maxSizeMb", "maxAgeDays", "maxBackups"])
    expect(() => log({ [name]: 0 })).toThrow(`${name} must be positive, got 0; use Infinity for no limit`);
});

it("never rotates a log without a maximum size", async () => {
  const sink = log({ maxSizeMb: unlimited });
  for (let i = 0; i < 3; i++) sink.write(line("a", 1024));
  await sink.close();
  expect([files(), statSync(join(folder, "audit.log")).size]).toEqual([["audit.log"], 3 * 2 ** 20]);
});

it("reports a line that exceeds the maximum size, and continues", async () => {
  const sink = log({ maxSizeMb: 1 });
  sink.write(line("a", 1025));
  sink.write("b");
  await sink.close();
  expect(failures.map(String)).toEqual(["Error: write length 1049600 exceeds maximum file size 1048576"]);
  expect(text("audit.log")).toBe("b\n");
});

it("reports write errors, and resumes writing when possible", async () => {
  mkdirSync(join(folder, "audit.log"));
  const sink = log();
  await expect.poll(() => failures.length).toBe(1);
  sink.write("lost");
  await expect.poll(() => failures.length).toBe(2);
  for (const failure of failures) expect(String(failure)).toContain("EISDIR");
  rmSync(join(folder, "audit.log"), { recursive: true });
  sink.write("kept");
  await sink.close();
  expect(text("audit.log")).toBe("kept\n");
});
