import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../command/errors.ts";

export type Esbuild = typeof import("esbuild");

/**
 * Loads the project's own esbuild, or otherwise the one installed next to this package.
 *
 * @throws {UsageError} if neither is installed; the message contains the remedy
 */
export async function loadEsbuild(
  root: string,
  load: (specifier: string) => Promise<Esbuild> = (specifier) => import(specifier),
): Promise<Esbuild> {
  try {
    return await load(resolvedFrom(root) ?? "esbuild");
  } catch (cause) {
    throw new UsageError("esbuild, which bundles programs, is not installed; run npm install --save-dev esbuild", {
      cause,
    });
  }
}

function resolvedFrom(root: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(root, "package.json")).resolve("esbuild")).href;
  } catch {
    return undefined; // the project does not have it
  }
}
