import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache-folder.ts";
import { runProgram } from "./run-program.ts";

export interface GoSuite {
  /** Folder of `go/` with the modules that it is built from. */
  readonly module: string;
  /** Go's import path. */
  readonly package: string;
}

export interface BuiltSuite {
  readonly program: string;
  /** The package's own folder, which its tests expect to run in. */
  readonly folder: string;
}

export const hasGo = (): boolean => spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;

const buildTimeoutMs = 1_200_000;

/** Builds the tests of a package once for each set of modules. @throws {Error} with Go's output */
export async function buildSuite({ module, package: path }: GoSuite): Promise<BuiltSuite> {
  const source = fileURLToPath(new URL(`../go/${module}`, import.meta.url));
  const folder = cacheFolder(module);
  mkdirSync(folder, { recursive: true });
  const isSame = (name: string): boolean =>
    existsSync(join(folder, name)) && readFileSync(join(folder, name)).equals(readFileSync(join(source, name)));
  const isCurrent = ["go.mod", "go.sum"].every(isSame);
  if (!isCurrent) cpSync(source, folder, { recursive: true });
  const program = join(folder, `${path.split("/").slice(2).join("-")}.test`);
  if (!isCurrent || !existsSync(program)) {
    const draft = `${program}.new`;
    await go(folder, ["test", "-c", "-o", draft, path]);
    renameSync(draft, program);
  }
  return { program, folder: (await go(folder, ["list", "-f", "{{.Dir}}", path])).trim() };
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
