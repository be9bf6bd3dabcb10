import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { readArguments, usage } from "./arguments.ts";
import { generate } from "./generate.ts";
import { pinIn, pinnedFolder, pinnedKubernetes, replacedRecording } from "./pinned-module.ts";
import { realPrograms } from "./real-programs.ts";
import { workList } from "./work-list.ts";

const root = join(import.meta.dirname, "..", "..", "..");

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usage);
    return 0;
  }
  const { kubernetes: wanted, isCheck, parts } = readArguments(args);
  const pinned = pinnedKubernetes(readFileSync(join(root, pinnedFolder, "go.mod"), "utf8"));
  const kubernetes = wanted ?? pinned;
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kubewright");
  const workFolder = join(cache, "upstream", kubernetes);
  const module = join(workFolder, "pinned");
  pinIn(module, root, kubernetes);
  const names = ["etcd", "kube-apiserver", ...(parts.has("parity") ? ["kubectl"] : [])];
  const shared = join(cache, "envtest", "assets");
  const assets = () => realPrograms({ root, kubernetes, module, workFolder, names }, shared);
  const files = await generate({ root, kubernetes, module, workFolder, assets }, parts);
  const changes = workList(root, files);
  for (const change of changes) console.log(change);
  console.log(`Kubernetes ${kubernetes}: ${changes.length} of ${files.length} files ${isCheck ? "differ" : "changed"}`);
  if (!isCheck)
    for (const { path, text } of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  const stale = replacedRecording(pinned, kubernetes);
  if (!isCheck && parts.has("parity") && stale) rmSync(join(root, stale), { force: true });
  const isAlike = !parts.has("parity") || comparesAlike(assets(), isCheck);
  return isCheck && (changes.length > 0 || !isAlike) ? 1 : 0;
}

/** Records the answers of the parity tests again, or compares them with the recorded ones. @returns true if the tests pass */
function comparesAlike(assets: string, isCheck: boolean): boolean {
  const env = { ...process.env, KUBEBUILDER_ASSETS: assets, ...(isCheck ? {} : { PARITY_RECORD: "1" }) };
  const args = ["vitest", "run", "--maxWorkers=1"];
  const { status } = spawnSync("npx", args, { cwd: join(root, "tests", "parity"), env, stdio: "inherit" });
  return status === 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof Error && error.cause) console.error(error.cause);
  console.error(`\n${usage}`);
  process.exitCode = 2;
}
