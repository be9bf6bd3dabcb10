#!/usr/bin/env node
// Runs what was built. In the repository, before a build, the sources run instead.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

const built = new URL("../dist/main.js", import.meta.url);
const isBuilt = existsSync(built);
if (!isBuilt)
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "@kubewright/source"] }),
  });
await import(isBuilt ? built.href : new URL("../src/main.ts", import.meta.url).href);
