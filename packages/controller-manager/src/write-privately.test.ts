import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writePrivately } from "./write-privately.ts";

describe("writePrivately", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kubewright-private-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("makes the folders, and a file for its owner alone", () => {
    const file = join(folder, "a", "b", "kubeconfig");
    writePrivately(file, "one");
    expect(readFileSync(file, "utf8")).toBe("one");
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("takes a file that was there away from others", () => {
    const file = join(folder, "open");
    writeFileSync(file, "", { mode: 0o644 });
    writePrivately(file, "two");
    expect(readFileSync(file, "utf8")).toBe("two");
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("fails at once where no folder can be made", () => {
    const nowhere = existsSync("/proc/self")
      ? "/proc/nowhere/deep/kubeconfig"
      : join(folder, "open", "x", "kubeconfig");
    expect(() => writePrivately(nowhere, "")).toThrow(/ENOENT|ENOTDIR|EEXIST/);
  });
});
