import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";
import { runProgram } from "./run-program.ts";

const packages = ["kopf==1.45.2", "kubernetes==37.0.2"];

/**
 * Installs kopf and Kubernetes' client for Python once, with pip.
 *
 * @returns the folder for `PYTHONPATH`
 * @throws {Error} with pip's output
 */
export async function kopfFolder(): Promise<string> {
  const folder = join(cacheFolder("kopf"), packages.join("+"));
  if (existsSync(folder)) return folder;
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const args = ["-m", "pip", "install", "--quiet", "--target", draft, ...packages];
  const { code, output } = await runProgram("python3", args, { folder: draft, timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`python3 ${args.join(" ")} ended with code ${code}:\n${output}`);
  renameSync(draft, folder);
  return folder;
}
