import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../command/errors.ts";
import { etcdHelp } from "../etcd/run.ts";
import { helpText } from "../kube-apiserver/command-line.ts";
import { standInCommandLine } from "../kube-apiserver/run.ts";
import { kubectlOnPath } from "../process/kubectl-on-path.ts";
import { bundledPrograms } from "./bundle.ts";
import { launcherText } from "./launcher.ts";

export interface Assets {
  /** Folder for `KUBEBUILDER_ASSETS`. */
  readonly folder: string;
  /** Folder in which the stand-ins cache compiled code. */
  readonly compileCache: string;
  /** Target of the link `kubectl` in the folder; undefined if no kubectl is in PATH. */
  readonly kubectl: string | undefined;
  /** Arguments for Node.js that compile all code once. Undefined if nothing has changed. */
  readonly warmUp: readonly string[] | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Creates or updates the folder with stand-ins named `etcd`, `kube-apiserver` and `kubectl`. The files contain the
 * absolute paths of this installation and its Node.js.
 *
 * @throws {CommandError} if the folder cannot be written
 */
export async function makeAssets(env: Env, warn: (text: string) => void = () => {}): Promise<Assets> {
  const { XDG_CACHE_HOME: own = "" } = env;
  const cache = join(isAbsolute(own) ? own : join(homedir(), ".cache"), "kubewright"); // XDG: relative paths are invalid
  const installation = createHash("sha256")
    .update(`${process.execPath}\n${import.meta.url}`)
    .digest("hex")
    .slice(0, 12);
  const folder = join(cache, "envtest-assets", installation);
  const compileCache = join(cache, "compile-cache");
  makeWritable(folder);
  const conditions = isSource ? ["@kubewright/source"] : [];
  const bundle = await bundledPrograms(programs.map(programPath), folder, conditions).catch((error: unknown) => {
    warn(
      `the programs could not be bundled, so they start more slowly and require this installation: ${String(error)}`,
    );
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
    ["etcd.help", etcdHelp, 0o644],
    ["kube-apiserver", launcher("kube-apiserver"), 0o755],
    ["etcd", launcher("etcd"), 0o755],
  ];
  const written = files.filter(([name, text, mode]) => writeIfChanged(join(folder, name), text, mode));
  const kubectl = kubectlOnPath(env.PATH ?? "");
  link(join(folder, "kubectl"), kubectl);
  const warmUp = bundle ? [join(bundle, "warm-up.mjs")] : [...nodeOptions, programPath("warm-up")];
  return { folder, compileCache, kubectl, warmUp: written.length > 0 ? warmUp : undefined };
}

/** True if this module runs from source. Node.js must then strip types and resolve packages to their sources. */
const isSource = import.meta.url.endsWith(".ts");

const programs = ["kube-apiserver", "etcd", "warm-up"];

const nodeOptions: readonly string[] = isSource
  ? ["--conditions=@kubewright/source", "--disable-warning=ExperimentalWarning"]
  : [];

/**
 * Options that let the heap grow by 60 % instead of fourfold. This halves the memory use, at the cost of slightly more garbage collection.
 */
const memoryOptions: readonly string[] = [
  "--min-semi-space-size=8",
  "--max-semi-space-size=16",
  "--heap-growing-percent=60",
];

/** Returns the path of a program module in this installation. */
const programPath = (name: string): string =>
  fileURLToPath(new URL(`../programs/${name}${isSource ? ".ts" : ".js"}`, import.meta.url));

function makeWritable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(
      `cannot write to "${folder}": ${reason}; set XDG_CACHE_HOME to a folder in which you can create files`,
      { cause },
    );
  }
}

/** Replaces the file by renaming, because a running program keeps its old file open. */
function writeIfChanged(path: string, text: string, mode: number): boolean {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return false;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, path);
  return true;
}

function link(path: string, target: string | undefined): void {
  if (target === path) return; // the folder itself is in PATH
  rmSync(path, { force: true });
  if (target !== undefined) symlinkSync(target, path);
}
