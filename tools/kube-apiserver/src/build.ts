import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { moduleOf, type Program, pinnedVersions, programsOf } from "./programs.ts";

/** Operations on this machine that the build needs. Tests pass a fake. */
export interface Machine {
  /**
   * Runs a program to its end. If `reads` is set, the program's output is returned; otherwise, the program inherits the
   * caller's output.
   */
  readonly run: (program: string, args: readonly string[], options: RunOptions) => RunResult;
  readonly print: (text: string) => void;
}

interface RunOptions {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly reads?: boolean;
}

interface RunResult {
  /** Exit code; `undefined` if the program could not be started. */
  readonly code: number | undefined;
  readonly output: string;
}

export const thisMachine: Machine = {
  run(program, args, { folder, env, reads = false }) {
    const { status, stdout, error } = spawnSync(program, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      encoding: "utf8",
      stdio: ["ignore", reads ? "pipe" : 2, reads ? "ignore" : "inherit"], // stdout is reserved for the result
    });
    return { code: error ? undefined : (status ?? 1), output: stdout ?? "" };
  },
  print: (text) => console.error(text),
};

/** Folder of the module whose programs are built. */
export const pinnedModule = fileURLToPath(new URL("../go", import.meta.url));

/** Oldest version of Go that can read the modules. */
const oldestGo = [1, 26] as const;

/**
 * Builds each program that is missing in the folder or has another version there.
 *
 * @param module folder with the `go.mod` and `go.sum` that pin the versions
 * @param names programs to build; default all
 * @returns the folder for `KUBEBUILDER_ASSETS`
 * @throws {Error} if Go is missing or too old, or if a build fails
 */
export function buildPrograms(
  cache: string,
  machine: Machine,
  module = pinnedModule,
  names: readonly string[] = [],
): string {
  const assets = resolve(cache, "assets");
  const programs = programsOf(readFileSync(join(module, "go.mod"), "utf8"));
  const needed = programs.filter(({ name }) => names.length === 0 || names.includes(name));
  const missing = needed.filter((program) => !isBuilt(program, assets, machine));
  if (missing.length === 0) return assets;
  checkGo(machine);
  mkdirSync(assets, { recursive: true });
  const modules = join(cache, "module");
  cpSync(module, modules, { recursive: true });
  const env = {
    CGO_ENABLED: "0",
    // Without a go.sum, Go selects the modules and records their checksums.
    ...(existsSync(join(module, "go.sum")) ? {} : { GOFLAGS: `${process.env.GOFLAGS ?? ""} -mod=mod`.trim() }),
  };
  for (const program of missing) {
    machine.print(`building ${program.name} ${program.version.split(" ").at(-1)} (minutes, the first time)`);
    const output = join(assets, program.name);
    const args = ["build", "-trimpath", "-ldflags", program.linkerFlags, "-o", output, program.package];
    const { code } = machine.run("go", args, { folder: modules, env });
    if (code !== 0) throw new Error(`go build ${program.package} ended with code ${code}`);
  }
  return assets;
}

/**
 * Builds etcd in the pinned version and kube-apiserver in the given version. If the given version is not the pinned one, the programs
 * get a separate folder.
 *
 * @param version such as `1.30.14`
 * @returns the folder for `KUBEBUILDER_ASSETS`
 * @throws {Error} if Go is missing or too old, if the version does not exist, or if a build fails
 */
export function buildVersion(cache: string, machine: Machine, version: string): string {
  const pinned = pinnedVersions(readFileSync(join(pinnedModule, "go.mod"), "utf8"));
  const isPinned = pinned.kubernetes === `v${version}`;
  const shared = buildPrograms(cache, machine, pinnedModule, isPinned ? ["etcd", "kube-apiserver"] : ["etcd"]);
  if (isPinned) return shared;
  const folder = resolve(cache, version);
  const module = join(folder, "pinned");
  mkdirSync(module, { recursive: true });
  if (!existsSync(join(module, "go.mod"))) {
    checkGo(machine);
    const wanted = `k8s.io/kubernetes@v${version}`;
    const { code, output } = machine.run("go", ["mod", "download", "-json", wanted], { folder, reads: true });
    if (code !== 0) throw new Error(`go mod download ${wanted} ended with code ${code}: the version may not exist`);
    const { GoMod } = JSON.parse(output) as { readonly GoMod: string };
    writeFileSync(join(module, "go.mod"), moduleOf(version, readFileSync(GoMod, "utf8")));
  }
  const assets = buildPrograms(folder, machine, module, ["kube-apiserver"]);
  const etcd = join(assets, "etcd");
  rmSync(etcd, { force: true });
  symlinkSync(join(shared, "etcd"), etcd);
  return assets;
}

function isBuilt({ name, versionArgs, version }: Program, assets: string, machine: Machine): boolean {
  return machine.run(join(assets, name), versionArgs, { reads: true }).output.includes(version);
}

function checkGo(machine: Machine): void {
  const { code, output } = machine.run("go", ["env", "GOVERSION"], { reads: true });
  const needed = `Go ${oldestGo.join(".")} or newer (https://go.dev/dl)`;
  if (code === undefined) throw new Error(`go is not on the PATH: building kube-apiserver requires ${needed}`);
  const [major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(output) ?? []).slice(1).map(Number);
  if (major < oldestGo[0] || (major === oldestGo[0] && minor < oldestGo[1]))
    throw new Error(`${output.trim()} is too old: building kube-apiserver requires ${needed}`);
}
