import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };

const bin = fileURLToPath(new URL("../bin/kubewright.mjs", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-bin-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, ...words: string[]) =>
  spawnSync(process.execPath, [program, ...words], { cwd: folder, encoding: "utf8" });

it("runs the command of the package next to it", () => {
  const { status, stdout, stderr } = run(bin, "--version");
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

it("prefers the project's own package, and passes arguments to it", () => {
  const cli = join(folder, "node_modules", "@kubewright", "cli");
  mkdirSync(join(cli, "bin"), { recursive: true });
  writeFileSync(join(cli, "package.json"), JSON.stringify({ name: "@kubewright/cli", version: "9.9.9" }));
  writeFileSync(
    join(cli, "bin", "kubewright.mjs"),
    "console.log(process.argv.slice(2).join());\nprocess.exitCode = 7;\n",
  );
  expect(run(bin, "controlplane", "--help")).toMatchObject({ status: 7, stdout: "controlplane,--help\n" });
});

it("prints how to install the command if it is missing", () => {
  const alone = join(folder, "kubewright.mjs");
  cpSync(bin, alone);
  expect(run(alone, "controlplane")).toMatchObject({
    status: 1,
    stdout: "",
    stderr:
      "the kubewright command needs the package @kubewright/cli, which is not installed; run npm install --save-dev @kubewright/cli\n",
  });
});
