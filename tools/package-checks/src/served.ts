import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { run } from "./command.ts";
import type { Registry } from "./registry.ts";
import type { Tarball } from "./tarballs.ts";

/** A running registry with the packed packages, and the environment variables that make npm use it. */
export interface Served extends Disposable {
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts the registry. Its files, and npm's cache, are in `folder`. If there are several versions of a package, the last one is the latest.
 */
export async function serve(folder: string, tarballs: readonly Tarball[]): Promise<Served> {
  mkdirSync(folder, { recursive: true });
  const upstream = run("npm", ["config", "get", "registry"], { cwd: folder }).trim();
  const registry: Registry = {
    upstream,
    packages: tarballs.map(({ path, folder: source }) => ({ path, folder: source })),
  };
  const list = join(folder, "registry.json");
  writeFileSync(list, JSON.stringify(registry));
  const server = spawn(process.execPath, [join(import.meta.dirname, "registry.ts"), list], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [url] = (await once(createInterface(server.stdout), "line")) as [string];
  return {
    env: { ...process.env, npm_config_registry: url, npm_config_cache: ownCache(folder) },
    [Symbol.dispose]: () => server.stdin.end(),
  };
}

/** Creates a cache that shares its content with npm's own, but not the packages installed by `npm create`. */
function ownCache(folder: string): string {
  const cache = join(folder, "npm-cache");
  const contents = join(run("npm", ["config", "get", "cache"], { cwd: folder }).trim(), "_cacache");
  mkdirSync(cache);
  if (existsSync(contents)) symlinkSync(contents, join(cache, "_cacache"));
  return cache;
}
