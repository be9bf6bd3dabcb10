import { buildPrograms, thisMachine } from "./build.ts";
import { cacheFolder } from "./cache-folder.ts";

const usage = "Usage: npm run envtest:build [-- CACHE-FOLDER [FOLDER-OF-ANOTHER-GO-MOD [PROGRAM]...]]";

const [cache = cacheFolder(process.env), module, ...names] = process.argv.slice(2);
try {
  if (cache.startsWith("-")) throw new Error(usage);
  const assets = buildPrograms(cache, thisMachine, module, names);
  console.log(`export KUBEBUILDER_ASSETS=${assets}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
