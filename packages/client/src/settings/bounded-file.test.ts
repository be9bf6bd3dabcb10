import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boundedFile } from "./bounded-file.ts";

const folder = mkdtempSync(join(tmpdir(), "bounded-file-"));
const pipe = join(folder, "pipe");
afterAll(() => rmSync(folder, { recursive: true }));

/** A clock on which each look takes the given time. */
function hurried(stepMs: number): { readonly looks: number[]; readonly monotonic: () => number } {
  const looks: number[] = [];
  return { looks, monotonic: () => looks[looks.push(looks.length * stepMs) - 1] ?? 0 };
}

it("reads a file up to the limit, to the byte", () => {
  const path = join(folder, "file");
  writeFileSync(path, "é".repeat(100_000));
  expect(boundedFile(path, 200_000)).toBe("é".repeat(100_000));
  expect(() => boundedFile(path, 199_999)).toThrow("it is larger than 199999 bytes");
  writeFileSync(path, "");
  expect(boundedFile(path, 1)).toBe("");
});

it("reads a device up to the limit", () => {
  expect(() => boundedFile("/dev/zero", 1_000_000)).toThrow("it is larger than 1000000 bytes");
});

describe.skipIf(process.platform === "win32")("a pipe", () => {
  beforeAll(() => void execFileSync("mkfifo", [pipe]));

  it("is read to its end, even if its writer is late and slow", async () => {
    const writer = spawn("sh", ["-c", 'sleep 0.1; (printf a; sleep 0.1; printf b) > "$1"', "sh", pipe]);
    expect(boundedFile(pipe, 10)).toBe("ab");
    await once(writer, "exit");
  });

  it("is given up after 5 seconds without a writer", () => {
    const clock = hurried(1_000);
    expect(() => boundedFile(pipe, 10, clock)).toThrow("it is a pipe that sent nothing within 5000 ms");
    expect(clock.looks.at(-1)).toBe(6_000);
  });

  it("is given up after a minute if its writer does not end", () => {
    const writer = openSync(pipe, "r+");
    try {
      expect(() => boundedFile(pipe, 10, hurried(6_000))).toThrow("it is a pipe that sent nothing within 60000 ms");
      writeSync(writer, "a");
      expect(() => boundedFile(pipe, 10, hurried(6_000))).toThrow("it is a pipe that did not end within 60000 ms");
    } finally {
      closeSync(writer);
    }
  });
});
