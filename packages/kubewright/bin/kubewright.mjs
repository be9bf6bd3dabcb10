#!/usr/bin/env node
// The command itself is @kubewright/cli's, with an API server and all that it needs, so that an operator in production brings none of it.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The manifest of the package that has the command: the project's, else one beside this package. */
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
    "the kubewright command is in the package @kubewright/cli, which is not installed here: npm install --save-dev @kubewright/cli",
  );
  process.exitCode = 1;
}
