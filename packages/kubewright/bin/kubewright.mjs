#!/usr/bin/env node
// Starts the command in @kubewright/cli, a separate package that keeps the API server out of production installations.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const inCli = "@kubewright/cli/package.json";

/** Returns the package.json of @kubewright/cli, from the project or next to this package. */
function manifestOfCli() {
  for (const place of [join(process.cwd(), "package.json"), import.meta.url]) {
    try {
      return createRequire(place).resolve(inCli);
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

/**
 * Returns the package.json of a copy of @kubewright/cli in npx's cache, which npm installs there if necessary. Returns undefined if this
 * package is not in npx's cache itself, and therefore belongs to a project that has to name the packages it needs.
 */
async function fetchedManifestOfCli() {
  const { npm_execpath: npm } = process.env;
  if (!npm || !fileURLToPath(import.meta.url).includes(`${sep}_npx${sep}`)) return undefined;
  await import("../dist/node-version.js"); // exits on a Node.js that could not run the command
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const words = ["exec", "--yes", `--package=@kubewright/cli@${version}`, "--", "node", "-p", "process.env.PATH"];
  const { stdout, status } = spawnSync(process.execPath, [npm, ...words], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) return undefined; // npm has printed the reason
  return stdout
    .trim()
    .split(delimiter)
    .map((folder) => join(folder, "..", inCli))
    .find((path) => existsSync(path));
}

const manifest = manifestOfCli() ?? (await fetchedManifestOfCli());
if (manifest) await import(pathToFileURL(join(dirname(manifest), "bin", "kubewright.mjs")).href);
else {
  console.error(
    "the kubewright command needs the package @kubewright/cli, which is not installed; run npm install --save-dev @kubewright/cli, or, without a project, npx @kubewright/cli",
  );
  process.exitCode = 1;
}
