import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundledPrograms } from "./bundle.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-bundle-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("keeps named exports of modules that are loaded on demand", async () => {
  const require = createRequire(fileURLToPath(import.meta.resolve("@kubewright/apiserver/webhook")));
  symlinkSync(resolve(require.resolve("undici"), "../.."), join(folder, "node_modules"));
  const program = join(folder, "program.js");
  writeFileSync(
    program,
    'const { Agent, buildConnector } = await import("undici"); console.log(typeof Agent, typeof buildConnector);',
  );

  const bundle = await bundledPrograms([program], join(folder, "bundles"), []);

  const { stdout } = spawnSync(process.execPath, [join(bundle, "program.mjs")], { encoding: "utf8" });
  expect(stdout).toBe("function function\n");
});
