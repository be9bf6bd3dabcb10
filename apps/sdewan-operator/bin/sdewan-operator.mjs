#!/usr/bin/env node
// Runs the build output or, in the repository before a build, the sources.
import { existsSync } from "node:fs";
import * as modules from "node:module"; // not a named import, which an older Node would reject before the version check

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`sdewan-operator needs Node.js 22.19 or newer; this is ${process.versions.node}`);
  process.exit(1);
}
const built = new URL("../dist/src/main.js", import.meta.url);
const isBuilt = existsSync(built);
if (!isBuilt)
  modules.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "@kubewright/source"] }),
  });
await import(isBuilt ? built.href : new URL("../src/main.ts", import.meta.url).href);
