import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache-folder.ts";
import { runProgram } from "./run-program.ts";

export interface GoSuite {
  /** Folder of `go/` with its modules. */
  readonly module: string;
  /** Go's import path. */
  readonly package: string;
  /** Active build constraints. */
  readonly tags?: string;
}

export interface BuiltSuite {
  readonly program: string;
  /** The package's own folder, which its tests expect as the working directory. */
  readonly folder: string;
}

export const hasGo = (): boolean => spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;

const buildTimeoutMs = 1_200_000;

/**
 * Builds the tests of a package once for each set of modules.
 *
 * @throws {Error} with Go's output
 */
export async function buildSuite({ module, package: path, tags }: GoSuite): Promise<BuiltSuite> {
  const name = `${path.split("/").slice(2).join("-")}.test`;
  const program = await build(module, name, ["test", "-c", ...(tags ? ["-tags", tags] : [])], path);
  return { program, folder: (await go(cacheFolder(module), ["list", "-f", "{{.Dir}}", path])).trim() };
}

/**
 * Builds a command once for each set of modules.
 *
 * @returns its folder, for a PATH
 * @throws {Error} with Go's output
 */
export async function buildCommand({ module, package: path }: GoSuite, flags: readonly string[] = []): Promise<string> {
  return dirname(await build(module, join("bin", basename(path)), ["build", ...flags], path));
}

async function build(module: string, name: string, command: readonly string[], path: string): Promise<string> {
  const source = fileURLToPath(new URL(`../go/${module}`, import.meta.url));
  const folder = cacheFolder(module);
  const program = join(folder, name);
  mkdirSync(dirname(program), { recursive: true });
  const isSame = (file: string): boolean =>
    existsSync(join(folder, file)) && readFileSync(join(folder, file)).equals(readFileSync(join(source, file)));
  if (!readdirSync(source).every(isSame)) {
    rmSync(folder, { recursive: true }); // builds with other modules or sources
    mkdirSync(dirname(program), { recursive: true });
    cpSync(source, folder, { recursive: true });
  }
  if (!existsSync(program)) {
    const draft = `${program}.new`;
    await go(folder, [...command, "-o", draft, path]);
    renameSync(draft, program);
  }
  return program;
}

async function go(folder: string, args: readonly string[]): Promise<string> {
  const { code, output } = await runProgram("go", args, {
    folder,
    env: { CGO_ENABLED: "0" },
    timeoutMs: buildTimeoutMs,
  });
  if (code !== 0) throw new Error(`go ${args.join(" ")} ended with code ${code}:\n${output}`);
  return output;
}
