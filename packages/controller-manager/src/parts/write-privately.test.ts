import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clearKubeconfig, writePrivately } from "./write-privately.ts";

const needs = { meta: { needs: "a POSIX system" } };

describe("writePrivately", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kubewright-private-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("creates the folders, and a file for its owner only", () => {
    const file = join(folder, "a", "b", "kubeconfig");
    writePrivately(file, "one");
    expect(readFileSync(file, "utf8")).toBe("one");
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === "win32")("creates folders for their owner only, whatever the umask is", needs, () => {
    const made = join(folder, "c", "d");
    const script = `import { writePrivately } from ${JSON.stringify(join(import.meta.dirname, "write-privately.ts"))};
      process.umask(0); writePrivately(${JSON.stringify(join(made, "kubeconfig"))}, "");`;
    execFileSync(process.execPath, ["--conditions=@kubewright/source", "--input-type=module", "-e", script]);
    for (const path of [made, join(folder, "c")]) expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(made, "kubeconfig")).mode & 0o777).toBe(0o600);
  });

  it("restricts an existing file to its owner", () => {
    const file = join(folder, "open");
    writeFileSync(file, "", { mode: 0o644 });
    writePrivately(file, "two");
    expect(readFileSync(file, "utf8")).toBe("two");
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("replaces a link without writing through it, and leaves nothing behind after a failure", () => {
    const [target, link] = [join(folder, "target"), join(folder, "link")];
    writeFileSync(target, "kept");
    symlinkSync(target, link);
    writePrivately(link, "new");
    expect([readFileSync(target, "utf8"), readFileSync(link, "utf8")]).toEqual(["kept", "new"]);
    mkdirSync(join(folder, "full/taken"), { recursive: true });
    expect(() => writePrivately(join(folder, "full/taken"), "")).toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/);
    expect(readdirSync(join(folder, "full"))).toEqual(["taken"]);
  });

  it("fails at once if no folder can be created", () => {
    const nowhere = existsSync("/proc/self")
      ? "/proc/nowhere/deep/kubeconfig"
      : join(folder, "open", "x", "kubeconfig");
    expect(() => writePrivately(nowhere, "")).toThrow(/ENOENT|ENOTDIR|EEXIST/);
  });
});

describe("clearKubeconfig", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kubewright-clear-"));
    path = join(folder, "kubeconfig");
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const cluster = (name: string, server: string): string =>
    `  - name: ${name}\n    cluster:\n      server: ${server}\n      certificate-authority-data: Y2E=\n`;
  const ended = `apiVersion: v1
kind: Config
clusters:
${cluster("kubewright", "https://127.0.0.1:1")}users:
  - name: admin
    user:
      token: t
contexts:
  - name: kubewright
    context:
      cluster: kubewright
      user: admin
current-context: kubewright
`;

  it.each([
    ["nothing", undefined],
    ["an empty file", ""],
    ["the kubeconfig of a plane that has ended", ended],
    ["one that kubectl has changed", ended.replace("name: kubewright\n    cluster:\n      ", "cluster:\n      ")],
  ])("removes %s", async (_, text) => {
    if (text !== undefined) writeFileSync(path, text);
    await clearKubeconfig(path);
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ["another cluster's", ended.replace("current-context: kubewright", "current-context: production")],
    ["that of two clusters", ended.replace("users:", `${cluster("b", "https://b.example.com")}users:`)],
    ["no kubeconfig", '{ "name": "my-project" }'],
    ["one without a server", ended.replace("https://127.0.0.1:1", "127.0.0.1")],
    ["a large file", `${ended}${" ".repeat(64 * 1_024)}`],
  ])("keeps %s", async (_, text) => {
    writeFileSync(path, text);
    await expect(clearKubeconfig(path)).rejects.toThrow(
      `kubeconfig ${path}: this file is not the kubeconfig of a single control plane and would be overwritten; choose another path, or remove the file`,
    );
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("keeps links and folders", async () => {
    const target = join(folder, "target");
    writeFileSync(target, ended);
    symlinkSync(target, path);
    await expect(clearKubeconfig(path)).rejects.toThrow(`kubeconfig ${path}: is a link; choose another path`);
    await expect(clearKubeconfig(folder)).rejects.toThrow(`kubeconfig ${folder}: is not a file; choose another path`);
    expect(readFileSync(target, "utf8")).toBe(ended);
  });
});
