import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const bin = fileURLToPath(new URL("../bin/create-kubewright.mjs", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-create-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const create = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
};

it("creates a project in the given folder, like kubewright init", () => {
  const words = ["shop", "--domain", "example.com", "--no-install", "--no-git"];
  expect(create(...words)).toMatchObject({ status: 0, stderr: "" });
  const project = JSON.parse(readFileSync(join(folder, "shop", "kubewright.json"), "utf8"));
  expect(project).toMatchObject({ name: "shop", domain: "example.com" });
  expect(existsSync(join(folder, "shop", "src", "operator.ts"))).toBe(true);
  expect(create(...words)).toEqual({ status: 0, stdout: "", stderr: "" });
});

it("exits like kubewright init", () => {
  expect(create("shop")).toEqual({ status: 2, stdout: "", stderr: "init: missing --domain\n" });
  expect(create("shop", "--domain", "com")).toMatchObject({ status: 2 });
  expect(create("--nosuch")).toMatchObject({ status: 2, stderr: "error: unknown option '--nosuch'\n" });
});
