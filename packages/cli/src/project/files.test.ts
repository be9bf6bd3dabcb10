import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeChanged } from "./files.ts";

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
