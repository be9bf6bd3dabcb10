import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { etcdHelp } from "../etcd/help.ts";
import { helpText } from "../kube-apiserver/command-line.ts";
import { standInCommandLine } from "../kube-apiserver/run.ts";
import { kubectlOnPath } from "../process/kubectl-on-path.ts";
import { bundledPrograms } from "./bundle.ts";
import { launcherText } from "./launcher.ts";

export interface Assets {
  /** For `KUBEBUILDER_ASSETS`. */
  readonly folder: string;
  /** Where the programs keep compiled code. */
  readonly compileCache: string;
  /** What `kubectl` in the folder is a link to; `undefined` where there is none on the PATH. */
  readonly kubectl: string | undefined;
  /** What Node.js runs to compile everything once, where something was made or changed just now. */
  readonly warmUp: readonly string[] | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Makes the folder with programs named `etcd`, `kube-apiserver` and `kubectl` that stand for ours, or finds it as it should be. They
 * hold absolute paths of this installation and of the Node.js that runs it.
 *
 * @throws {Error} where the folder cannot be written
 */
export async function makeAssets(env: Env, warn: (text: string) => void = () => {}): Promise<Assets> {
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kubewright");
  const installation = createHash("sha256")
    .update(`${process.execPath}\n${import.meta.url}`)
    .digest("hex")
    .slice(0, 12);
  const folder = join(cache, "envtest-assets", installation);
  const compileCache = join(cache, "compile-cache");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const conditions = isSource ? ["@kubewright/source"] : [];
  const bundle = await bundledPrograms(programs.map(programPath), folder, conditions).catch((error: unknown) => {
    warn(`the programs start more slowly, for they could not be bundled: ${String(error)}`);
    return undefined;
  });
  const launcher = (name: string): string =>
    launcherText({
      node: process.execPath,
      nodeOptions: [...memoryOptions, ...(bundle ? [] : nodeOptions)],
      program: bundle ? join(bundle, `${name}.mjs`) : programPath(name),
      help: join(folder, `${name}.help`),
      compileCache,
    });
  const files: readonly (readonly [name: string, text: string, mode: number])[] = [
    ["kube-apiserver.help", helpText(standInCommandLine), 0o644],
    ["etcd.help", etcdHelp(), 0o644],
    ["kube-apiserver", launcher("kube-apiserver"), 0o755],
    ["etcd", launcher("etcd"), 0o755],
  ];
  const written = files.filter(([name, text, mode]) => writeIfChanged(join(folder, name), text, mode));
  const kubectl = kubectlOnPath(env.PATH ?? "");
  link(join(folder, "kubectl"), kubectl);
  const warmUp = bundle ? [join(bundle, "warm-up.mjs")] : [...nodeOptions, programPath("warm-up")];
  return { folder, compileCache, kubectl, warmUp: written.length > 0 ? warmUp : undefined };
}

/** Sources need Node.js to strip types and to resolve packages to sources; what was built needs nothing. */
const isSource = import.meta.url.endsWith(".ts");

const programs = ["kube-apiserver", "etcd", "warm-up"];

const nodeOptions: readonly string[] = isSource
  ? ["--conditions=@kubewright/source", "--disable-warning=ExperimentalWarning"]
  : [];

/** A little more time for collecting garbage, for half the memory: a heap that grows by six tenths, not fourfold. */
const memoryOptions: readonly string[] = [
  "--min-semi-space-size=8",
  "--max-semi-space-size=16",
  "--heap-growing-percent=60",
];

/** A module of this installation beside the folder of this one. */
const programPath = (name: string): string =>
  fileURLToPath(new URL(`../programs/${name}${isSource ? ".ts" : ".js"}`, import.meta.url));

/** A program that is running keeps its file: the new one takes its name. */
function writeIfChanged(path: string, text: string, mode: number): boolean {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return false;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, path);
  return true;
}

function link(path: string, target: string | undefined): void {
  if (target === path) return; // the folder itself is on the PATH
  rmSync(path, { force: true });
  if (target !== undefined) symlinkSync(target, path);
}
