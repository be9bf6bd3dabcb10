import { execFileSync } from "node:child_process";
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

  it.skipIf(process.platform === "win32")(
    "makes folders for their owner alone, whatever the umask lets through",
    () => {
      const made = join(folder, "c", "d");
      const script = `import { writePrivately } from ${JSON.stringify(join(import.meta.dirname, "write-privately.ts"))};
      process.umask(0); writePrivately(${JSON.stringify(join(made, "kubeconfig"))}, "");`;
      execFileSync(process.execPath, ["--conditions=@kubewright/source", "--input-type=module", "-e", script]);
      for (const path of [made, join(folder, "c")]) expect(statSync(path).mode & 0o777).toBe(0o700);
      expect(statSync(join(made, "kubeconfig")).mode & 0o777).toBe(0o600);
    },
  );

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
