#!/usr/bin/env node
// Runs what was built. In the repository, before a build, the sources run instead.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const isBuilt = existsSync(fileURLToPath(import.meta.resolve("@kubewright/cli")));
if (!isBuilt)
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "@kubewright/source"] }),
  });
const { main } = await import("@kubewright/cli");
process.exitCode = await main(process.argv.slice(2));
