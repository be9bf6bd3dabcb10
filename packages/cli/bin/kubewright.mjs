#!/usr/bin/env node
// Runs the built package. In a repository that is not built, the sources run instead.
import { existsSync } from "node:fs";
import * as modules from "node:module"; // a named import would fail on older Node.js before the version check below can print its message
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`kubewright needs Node.js 22.19 or newer; this is ${process.versions.node}`);
  process.exit(1);
}
const isBuilt = existsSync(fileURLToPath(import.meta.resolve("@kubewright/cli")));
if (!isBuilt)
  modules.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "@kubewright/source"] }),
  });
const { main } = await import("@kubewright/cli");
const { sealObjectPrototype } = await import("@kubewright/apimachinery");
sealObjectPrototype();
process.exitCode = await main(process.argv.slice(2));
