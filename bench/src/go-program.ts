import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Builds the program with the subjects written in Go, outside of the repository. Downloads missing modules. Resolves to `undefined` if Go
 * is not installed.
 */
export async function buildGoProgram(print: (line: string) => void): Promise<string | undefined> {
  const version = await run("go", ["version"]).catch(() => undefined);
  if (!version) {
    print("Go is not installed: client-go and controller-runtime are left out");
    return undefined;
  }
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "kubewright", "bench");
  await mkdir(folder, { recursive: true });
  const binary = join(folder, "subjects");
  await run("go", ["build", "-o", binary, "."], { cwd: fileURLToPath(new URL("../go", import.meta.url)) });
  return binary;
}
