#!/usr/bin/env node
// Starts the command in @kubewright/cli, a separate package that keeps the API server out of production installations.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Returns the package.json of @kubewright/cli, from the project or next to this package. */
function manifestOfCli() {
  for (const place of [join(process.cwd(), "package.json"), import.meta.url]) {
    try {
      return createRequire(place).resolve("@kubewright/cli/package.json");
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

const manifest = manifestOfCli();
if (manifest) await import(pathToFileURL(join(dirname(manifest), "bin", "kubewright.mjs")).href);
else {
  console.error(
    "the kubewright command needs the package @kubewright/cli, which is not installed; run npm install --save-dev @kubewright/cli",
  );
  process.exitCode = 1;
}
