import { buildPrograms, thisMachine } from "./build.ts";
import { cacheFolder } from "./cache-folder.ts";

try {
  const assets = buildPrograms(cacheFolder(process.env), thisMachine);
  console.log(`export KUBEBUILDER_ASSETS=${assets}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
