import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readText, textAt, writeChanged } from "./files.ts";

it("follows links within the folder, but not out of it", () => {
  const whole = mkdtempSync(join(tmpdir(), "kubewright-files-"));
  onTestFinished(() => rmSync(whole, { recursive: true }));
  const root = join(whole, "project");
  const others = join(whole, "others");
  for (const folder of [root, others, join(root, "real")]) mkdirSync(folder);
  writeFileSync(join(others, "profile"), "theirs");
  symlinkSync(join(others, "profile"), join(root, "file"));
  symlinkSync(others, join(root, "folder"));
  symlinkSync(join(others, "new"), join(root, "dangling"));
  symlinkSync("real", join(root, "within"));
  const write = (path: string) => () => writeChanged(root, [{ path, text: "ours" }]);
  for (const path of ["file", "folder/profile", "folder/deep/er", "dangling"])
    expect(write(path), path).toThrow(`${path} is a link that leads out of ${root}; replace it with a file or folder`);
  expect(readFileSync(join(others, "profile"), "utf8")).toBe("theirs");
  expect(write("within/a/b")()).toEqual(["within/a/b"]);
  expect(readFileSync(join(root, "real/a/b"), "utf8")).toBe("ours");
  expect(write("../others/asked-for")()).toEqual(["../others/asked-for"]);
  expect(writeChanged(join(whole, "yet/to/be"), [{ path: "a", text: "" }])).toEqual(["a"]);
});

it("reads neither named pipes, which block, nor folders, nor huge files", () => {
  const root = mkdtempSync(join(tmpdir(), "kubewright-files-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  execFileSync("mkfifo", [join(root, "package.json")]);
  mkdirSync(join(root, "folder"));
  symlinkSync("package.json", join(root, "link"));
  writeFileSync(join(root, "huge"), "");
  truncateSync(join(root, "huge"), 64 * 1024 * 1024 + 1);
  for (const path of ["package.json", "link", "folder"])
    expect(() => textAt(root, path), path).toThrow(`${join(root, path)} is not a file`);
  expect(() => writeChanged(root, [{ path: "package.json", text: "" }])).toThrow("is not a file");
  expect(() => textAt(root, "huge")).toThrow("is larger than 67108864 bytes");
  expect(textAt(root, "absent")).toBeUndefined();
  expect(() => readText(join(root, "absent"))).toThrow("ENOENT");
});
