import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundle } from "./bundle.ts";
import { run } from "./command.ts";
import { greetOldNode } from "./old-node.ts";
import { compile, makeProject, runHarness } from "./outside-project.ts";
import { publishablePackages } from "./packages.ts";
import { countProductionInstall } from "./production-install.ts";
import { scaffold } from "./scaffold.ts";
import { packAll } from "./tarballs.ts";

const root = resolve(process.argv[2] ?? ".");
const work = mkdtempSync(join(tmpdir(), "kubewright-packages-"));
const bin = (name: string): string => join(root, "node_modules", ".bin", name);

try {
  const packages = publishablePackages(root);
  console.log(`packing ${packages.length} packages`);
  const tarballs = packAll(packages, work);
  for (const { name, path } of tarballs) {
    run(bin("publint"), ["run", path, "--strict"], { cwd: root });
    run(bin("attw"), [path, "--profile", "esm-only", "--no-emoji"], { cwd: root });
    console.log(`${name}: publint and type packaging pass`);
  }
  run(bin("knip"), ["--no-progress"], { cwd: root });
  console.log("no unused exports, files or dependencies");
  console.log(countProductionInstall(join(work, "production"), tarballs));
  const outside = makeProject(root, join(work, "outside"), tarballs);
  for (const check of [compile, runHarness, bundle, greetOldNode]) console.log(check(outside));
  for (const line of await scaffold(join(work, "scaffold"), packages, tarballs)) console.log(line);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
