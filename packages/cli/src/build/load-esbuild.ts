import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../command/errors.ts";

export type Esbuild = typeof import("esbuild");

/** The project's own esbuild, or the one beside this package. @throws {UsageError} with how to get it, where there is none */
export async function loadEsbuild(
  root: string,
  load: (specifier: string) => Promise<Esbuild> = (specifier) => import(specifier),
): Promise<Esbuild> {
  try {
    return await load(resolvedFrom(root) ?? "esbuild");
  } catch (cause) {
    throw new UsageError("esbuild, which makes programs one file, is not installed: npm install --save-dev esbuild", {
      cause,
    });
  }
}

function resolvedFrom(root: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(root, "package.json")).resolve("esbuild")).href;
  } catch {
    return undefined; // not the project's own
  }
}
