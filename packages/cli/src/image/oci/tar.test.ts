import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { blockBytes, parseTarHeader, tarHeader, tarOf, tarPadding } from "./tar.ts";

const entry = { name: "app/operator.mjs", size: 5, mode: 0o755, owner: 65_532 };

/** Returns a header with changed bytes and a matching checksum. */
function changed(at: number, bytes: string | Buffer, header = tarHeader(entry)): Buffer {
  const block = Buffer.from(header);
  Buffer.from(bytes).copy(block, at);
  block.write("        ", 148, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

it("is readable by tar, with modes, owners and time zero", () => {
  const archive = tarOf([
    { name: "app/", mode: 0o755, owner: 7 },
    { name: "app/a", mode: 0o640, owner: 7, bytes: Buffer.from("hello") },
    { name: "app/full", mode: 0o644, bytes: Buffer.alloc(blockBytes, "x") },
  ]);
  const { stdout, status } = spawnSync("tar", ["-tvf", "-", "--numeric-owner", "--utc"], { input: archive });
  expect(status).toBe(0);
  const lines = stdout.toString().trim().split("\n");
  expect(lines.map((line) => line.split(/\s+/).filter((_, at) => at !== 4))).toEqual([
    ["drwxr-xr-x", "7/7", "0", "1970-01-01", "app/"],
    ["-rw-r-----", "7/7", "5", "1970-01-01", "app/a"],
    ["-rw-r--r--", "0/0", "512", "1970-01-01", "app/full"],
  ]);
  expect(archive.length).toBe(3 * blockBytes + 2 * blockBytes + 2 * blockBytes);
  expect([0, 1, 511, 512, 513].map((size) => tarPadding(size).length)).toEqual([0, 511, 1, 0, 511]);
});

it("round-trips headers with long names and large sizes", () => {
  for (const size of [0, 5, 8 ** 11 - 1, 8 ** 11, 2 ** 40])
    expect(parseTarHeader(tarHeader({ ...entry, size }))).toEqual({ name: entry.name, size, type: "0" });
  expect(parseTarHeader(tarHeader({ name: "app/", size: 0, mode: 0o755 }))).toEqual({
    name: "app/",
    size: 0,
    type: "5",
  });
  const longest = "a".repeat(100);
  expect(parseTarHeader(tarHeader({ ...entry, name: longest }))?.name).toBe(longest);
  expect(() => tarHeader({ ...entry, name: `${longest}b` })).toThrow(
    "is longer than the 100 bytes that a tar header allows",
  );
  expect(() => tarHeader({ ...entry, name: "ä".repeat(51) })).toThrow("100 bytes");
});

it("reads headers of other programs: USTAR prefixes, blanks, missing types, links", () => {
  expect(parseTarHeader(changed(345, "long/way"))?.name).toBe("long/way/app/operator.mjs");
  const old = changed(257, Buffer.alloc(8));
  expect(parseTarHeader(changed(345, "long/way", old))?.name).toBe("app/operator.mjs");
  expect(parseTarHeader(changed(156, "\0"))?.type).toBe("0");
  expect(parseTarHeader(changed(156, "2"))?.type).toBe("2");
  expect(parseTarHeader(changed(124, "         12 "))?.size).toBe(10);
  expect(parseTarHeader(Buffer.alloc(blockBytes))).toBeUndefined();
});

it("refuses invalid headers and sizes", () => {
  const damaged = tarHeader(entry);
  damaged[0] = (damaged[0] ?? 0) + 1;
  for (const block of [damaged, Buffer.alloc(blockBytes, "x"), Buffer.from("x".padEnd(blockBytes, "\0"))])
    expect(() => parseTarHeader(block)).toThrow("the file is not a tar archive, or is corrupted");
  const huge = Buffer.alloc(12, 0xff);
  huge[0] = 0x80;
  for (const size of [huge, "-0000000001", "           ", "zzzzzzzzzzz"])
    expect(() => parseTarHeader(changed(124, size))).toThrow("the archive contains an entry with an invalid size");
});
