import { buildPrograms, thisMachine } from "./build.ts";
import { cacheFolder } from "./cache-folder.ts";

// main.ts [<cache folder> <folder of another go.mod> <program>…]
const [cache = cacheFolder(process.env), module, ...names] = process.argv.slice(2);
try {
  const assets = buildPrograms(cache, thisMachine, module, names);
  console.log(`export KUBEBUILDER_ASSETS=${assets}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
