import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.ts";
import { run } from "./command.ts";
import { chosenExamples, copiedOut } from "./examples.ts";
import { greetOldNode } from "./old-node.ts";
import { compile, makeProject, runHarness } from "./outside-project.ts";
import { publishablePackages } from "./packages.ts";
import { countProductionInstall } from "./production-install.ts";
import { readDocs } from "./read-docs.ts";
import { scaffold } from "./scaffold.ts";
import { serve } from "./served.ts";
import { readLimits, sizeComplaints } from "./sizes.ts";
import { packAll, type Tarball } from "./tarballs.ts";

/**
 * `[root] [--examples all|01-minimal,…] [--only examples]`: all checks of what would be published, with two examples copied out; or the
 * examples alone.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { examples: { type: "string" }, only: { type: "string" } },
});
const root = resolve(positionals[0] ?? ".");
const work = mkdtempSync(join(tmpdir(), "kubewright-packages-"));
const bin = (name: string): string => join(root, "node_modules", ".bin", name);
// The workspace's scripts find sources; those of whoever installs packages do not.
for (const name of ["NODE_OPTIONS", "npm_config_node_options"]) delete process.env[name];

try {
  if (values.only !== undefined && values.only !== "examples")
    throw new Error(`--only ${values.only}: must be examples, which is all that can be had alone`);
  const examples = chosenExamples(root, values.examples);
  const packages = publishablePackages(root);
  console.log(`packing ${packages.length} packages`);
  const tarballs = packAll(packages, work);
  if (!values.only) await checkPackages(tarballs);
  using served = await serve(join(work, "registry"), packages, tarballs);
  if (!values.only) for (const line of await scaffold(join(work, "scaffold"), served)) console.log(line);
  for (const name of examples)
    await copiedOut(root, name, join(work, "examples", name), served).then(console.log, fail); // and the others are seen too
} catch (error) {
  fail(error);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function checkPackages(tarballs: readonly Tarball[]): Promise<void> {
  const complaints = sizeComplaints(tarballs, readLimits(root));
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
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
  console.log(await readDocs(outside));
}
