import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@kubewright-tools/package-checks/command";
import { expect, it } from "vitest";
import { copyOf } from "./copy.ts";

it("copies a given revision, and does not change the repository's index", () => {
  const folder = mkdtempSync(join(tmpdir(), "copy-"));
  try {
    const root = join(folder, "root");
    const git = (...words: string[]): string =>
      run("git", ["-c", "user.name=Jane", "-c", "user.email=jane@example.com", ...words], { cwd: root });
    run("git", ["init", "--quiet", root], { cwd: folder });
    for (const text of ["first", "second"]) {
      writeFileSync(join(root, "package.json"), JSON.stringify({ description: text }));
      git("add", "--all");
      git("commit", "--quiet", "--message", text);
    }
    const copied = (name: string, revision?: string): string => {
      copyOf(root, join(folder, name), revision);
      expect(existsSync(join(folder, name, ".index"))).toBe(false);
      return JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")).description;
    };
    expect(copied("earlier", "HEAD~1")).toBe("first");
    expect(copied("present")).toBe("second");
    expect(git("status", "--porcelain")).toBe("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
