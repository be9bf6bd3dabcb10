import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { bundleProgram } from "./bundle-program.ts";
import { loadEsbuild } from "./load-esbuild.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kubewright-build-"));
  mkdirSync(join(root, "src"));
});
afterEach(() => rmSync(root, { recursive: true }));
const write = (text: string): void => writeFileSync(join(root, "src/main.ts"), text);

it("makes a scaffold one file that runs alone, twice with the same bytes", async () => {
  using project = new ProjectFolder();
  await project.init();
  const { code, out, err } = await project.run("build");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^ {2}dist\/operator\.mjs {2}[\d.]+ MB, \d+ KB gzipped\n$/);
  const file = join(project.root, "dist/operator.mjs");
  const bytes = readFileSync(file);
  const alone = join(root, "alone.mjs");
  writeFileSync(alone, bytes);
  const { status, stdout } = spawnSync(process.execPath, [alone, "--help"], { cwd: root, env: {}, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringContaining("--leader-elect")]);
  expect(JSON.parse((await project.run("build", "--json")).out)).toMatchObject({
    items: [{ path: "dist/operator.mjs", bytes: bytes.length }],
    parts: expect.arrayContaining([{ name: "undici", bytes: expect.any(Number) }]),
  });
  expect(readFileSync(file).equals(bytes)).toBe(true);
}, 120_000);

it("leaves client-node out where the program runs in a cluster, and says so to who asks for it", async () => {
  symlinkSync(fileURLToPath(new URL("../../../../node_modules", import.meta.url)), join(root, "node_modules"));
  write(
    'const node = await import("@kubernetes/client-node").then(({ KubeConfig }) => KubeConfig.name, (e) => e.message);\nconsole.log(node);\n',
  );
  const whole = await bundleProgram({ root });
  const small = await bundleProgram({ root, inCluster: true });
  expect(small.code.length).toBeLessThan(10_000);
  expect(whole.code.length).toBeGreaterThan(1_000_000);
  expect(whole.parts.map(({ name }) => name)).toContain("@kubernetes/client-node");
  expect(whole.parts.map(({ bytes }) => bytes)).toEqual(
    whole.parts.map(({ bytes }) => bytes).toSorted((a, b) => b - a),
  );
  writeFileSync(join(root, "small.mjs"), small.code);
  expect(execFileSync(process.execPath, [join(root, "small.mjs")], { encoding: "utf8" })).toBe(
    "@kubernetes/client-node is not in this bundle: it was made with --in-cluster\n",
  );
}, 60_000);

it("says what is wrong, and where", async () => {
  await expect(bundleProgram({ root })).rejects.toThrow('--entry "src/main.ts": there is no such file');
  write('import { a } from "./nowhere.ts";\na(;\n');
  await expect(bundleProgram({ root })).rejects.toThrow(/^src\/main\.ts:2:3: /);
  write('import "./nowhere.ts";\n');
  await expect(bundleProgram({ root })).rejects.toThrow('src/main.ts:1:8: Could not resolve "./nowhere.ts"');
  const missing = loadEsbuild(root, () => Promise.reject(new Error("no such module")));
  await expect(missing).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringContaining("npm install --save-dev esbuild"),
  });
});
