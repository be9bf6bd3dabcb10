import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import PQueue from "p-queue";
import { chosenExamples } from "./examples.ts";
import { type Lane, parts, runLane } from "./lane.ts";
import { publishablePackages } from "./packages.ts";
import { serve } from "./served.ts";
import { packAll } from "./tarballs.ts";

const usage = `node tools/package-checks/src/main.ts [options] [root]

Packs the public packages, installs them as a user would, and checks them.

  --examples <names>  examples to copy: "all", or names such as 01-minimal (default: two of them)
  --only examples     check only the examples`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: "string" },
    only: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const root = resolve(positionals[0] ?? ".");
const work = mkdtempSync(join(tmpdir(), "kubewright-packages-"));
// The scripts of the workspace resolve packages to their sources, but a user's project must not do this.
for (const name of ["NODE_OPTIONS", "npm_config_node_options"]) delete process.env[name];

try {
  if (values.only !== undefined && values.only !== "examples")
    throw new Error(`--only ${values.only}: must be "examples", the only part that can run alone`);
  const examples = chosenExamples(root, values.examples);
  const packages = publishablePackages(root);
  console.log(`packing ${packages.length} packages`);
  const tarballs = packAll(packages, work);
  using served = await serve(join(work, "registry"), tarballs);
  const lanes: Lane[] = [
    ...(values.only ? [] : parts.map((part) => ({ part }))),
    ...examples.map((example) => ({ example })),
  ];
  // One more than there are processors, because each lane often waits for the registry.
  const queue = new PQueue({ concurrency: availableParallelism() + 1 });
  // A failing lane must not hide the results of the others.
  await queue.addAll(lanes.map((lane) => () => runLane(lane, { root, work, tarballs, env: served.env }).catch(fail)));
} catch (error) {
  fail(error);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
