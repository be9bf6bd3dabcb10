import { join } from "node:path";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { bundle } from "./bundle.ts";
import { run } from "./command.ts";
import { copiedOut } from "./examples.ts";
import type { Node } from "./nodes.ts";
import { greetOldNode } from "./old-node.ts";
import { compile, makeProject, runHarness } from "./outside-project.ts";
import { countProductionInstall } from "./production-install.ts";
import { readDocs } from "./read-docs.ts";
import { project } from "./scaffold.ts";
import { readLimits, sizeComplaints } from "./sizes.ts";
import type { Tarball } from "./tarballs.ts";

/** Values that all lanes share. */
export interface Packed {
  readonly root: string;
  /** Folder for all output. */
  readonly work: string;
  readonly tarballs: readonly Tarball[];
  /** Environment variables for commands that install the tarballs from the registry. */
  readonly env: NodeJS.ProcessEnv;
}

/** An independent part of the checks. */
export type Lane = { readonly packages: true } | { readonly projectOn: Node } | { readonly example: string };

/** Runs a lane in its own thread, because its commands run synchronously. @throws {Error} the problem found */
export function runLane(lane: Lane, packed: Packed): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL(import.meta.url), { workerData: { lane, packed } });
  worker.once("error", reject).once("exit", () => resolve());
  return promise;
}

if (!isMainThread) {
  const { lane, packed } = workerData as { readonly lane: Lane; readonly packed: Packed };
  const { root, work, env } = packed;
  if ("packages" in lane) await checkPackages(packed);
  else if ("projectOn" in lane)
    console.log(await project(join(work, "scaffold", lane.projectOn.version), lane.projectOn, env));
  else console.log(await copiedOut(root, lane.example, join(work, "examples", lane.example), env));
}

/** Checks the tarballs themselves and a program that is built only from them. */
async function checkPackages({ root, work, tarballs }: Packed): Promise<void> {
  const bin = (name: string): string => join(root, "node_modules", ".bin", name);
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
