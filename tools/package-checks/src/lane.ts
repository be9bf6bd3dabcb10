import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { bundle } from "./bundle.ts";
import { run } from "./command.ts";
import { copiedOut } from "./examples.ts";
import { oldestNode, thisNode } from "./nodes.ts";
import { greetOldNode } from "./old-node.ts";
import { compile, makeProject, runHarness } from "./outside-project.ts";
import { countProductionInstall } from "./production-install.ts";
import { readDocs } from "./read-docs.ts";
import { project } from "./scaffold.ts";
import { readLimits, sizeComplaints } from "./sizes.ts";
import type { Tarball } from "./tarballs.ts";

/** The packed packages, and other values that all lanes share. */
export interface Packed {
  readonly root: string;
  /** Folder for all output. */
  readonly work: string;
  readonly tarballs: readonly Tarball[];
  /** Environment variables for commands that install the tarballs from the registry. */
  readonly env: NodeJS.ProcessEnv;
}

/** Parts of the checks besides examples, longest first. */
export const parts = ["outside", "newest-node", "tarballs", "oldest-node", "empty-folder", "unused"] as const;

/** An independent part of the checks. */
export type Lane = { readonly part: (typeof parts)[number] } | { readonly example: string };

/**
 * Runs a lane in its own thread, because its commands run synchronously. @throws {Error} the problem that the lane
 * found
 */
export function runLane(lane: Lane, packed: Packed): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL(import.meta.url), { workerData: { lane, packed } });
  worker.once("error", reject).once("exit", () => resolve());
  return promise;
}

/**
 * Program that starts the server of `KUBEBUILDER_ASSETS`, as envtest does. It is not installed together with the folder, just as for Go
 * test suites.
 */
const startServer = `
import { Client } from "@kubewright/client";
import { Namespace } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";

await using env = await Environment.start();
await using client = new Client({ connection: env.connection() });
console.log(env.bed, (await client.get(Namespace, "default")).metadata.name);
`;

if (!isMainThread) {
  const { lane, packed } = workerData as { readonly lane: Lane; readonly packed: Packed };
  const { root, work, env } = packed;
  const bin = (name: string): string => join(root, "node_modules", ".bin", name);
  if ("example" in lane) console.log(await copiedOut(root, lane.example, join(work, "examples", lane.example), env));
  else if (lane.part === "newest-node") console.log(await project(join(work, "newest"), thisNode, env));
  else if (lane.part === "oldest-node") {
    const node = oldestNode(join(work, "oldest-node"));
    if (typeof node === "string") console.log(`not run: a project from npm create on the oldest Node, because ${node}`);
    else console.log(await project(join(work, "oldest"), node, env));
  } else if (lane.part === "empty-folder") console.log(serverFromEmptyFolder(packed));
  else if (lane.part === "tarballs") checkTarballs(packed, bin);
  else if (lane.part === "unused") {
    run(bin("knip"), ["--no-progress"], { cwd: root });
    console.log("no unused exports, files or dependencies");
  } else await checkOutside(packed);
}

/**
 * Checks the command for authors of Go programs: runs it twice in an empty folder, and then starts the server after
 * npx's cache was deleted.
 *
 * @throws {Error} if the output is not a path, if files appear in the folder, or if the server does not start
 */
function serverFromEmptyFolder({ root, work, env: common }: Packed): string {
  const folder = join(work, "empty");
  mkdirSync(folder);
  const cache = join(work, "npx-cache"); // shares downloads with other lanes, but not packages
  mkdirSync(cache);
  symlinkSync(join(common.npm_config_cache ?? "", "_cacache"), join(cache, "_cacache"));
  const env = { ...common, npm_config_cache: cache, XDG_CACHE_HOME: join(work, "user-cache") };
  const timed = (): { readonly path: string; readonly ms: number } => {
    const began = performance.now();
    const path = run("npx", ["--yes", "kubewright", "envtest-assets"], { cwd: folder, env });
    return { path, ms: performance.now() - began };
  };
  const [first, second] = [timed(), timed()];
  if (!isAbsolute(first.path) || first.path.trimEnd().includes("\n") || second.path !== first.path)
    throw new Error(`envtest-assets printed ${first.path}, then ${second.path}, instead of one path`);
  const left = readdirSync(folder);
  if (left.length > 0) throw new Error(`envtest-assets wrote ${left.join(", ")} to the working folder`);
  rmSync(cache, { recursive: true });
  const words = ["--conditions=@kubewright/source", "--input-type=module", "--eval", startServer];
  const program = { cwd: join(root, "packages", "cli"), env: { ...env, KUBEBUILDER_ASSETS: first.path.trimEnd() } };
  const served = run(process.execPath, words, program).trimEnd();
  if (served !== "real default") throw new Error(`the server of envtest-assets answered ${served}`);
  const seconds = ({ ms }: { readonly ms: number }): string => `${(ms / 1_000).toFixed(1)} s`;
  return `from an empty folder, envtest-assets takes ${seconds(first)}, then ${seconds(second)}; its server runs without npx's cache`;
}

function checkTarballs({ root, tarballs }: Packed, bin: (name: string) => string): void {
  const complaints = sizeComplaints(tarballs, readLimits(root));
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
  for (const { name, path } of tarballs) {
    run(bin("publint"), ["run", path, "--strict"], { cwd: root });
    run(bin("attw"), [path, "--profile", "esm-only", "--no-emoji"], { cwd: root });
    console.log(`${name}: publint and type packaging pass`);
  }
}

/** Checks a program that is built only from the tarballs. */
async function checkOutside({ root, work, tarballs }: Packed): Promise<void> {
  console.log(countProductionInstall(join(work, "production"), tarballs));
  const outside = makeProject(root, join(work, "outside"), tarballs);
  for (const check of [compile, runHarness, bundle, greetOldNode]) console.log(check(outside));
  console.log(await readDocs(outside));
}
