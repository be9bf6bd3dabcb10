import { parseArgs } from "node:util";
import { buildPrograms, buildVersion, thisMachine } from "./build.ts";
import { cacheFolder } from "./cache-folder.ts";

const usage = `Usage: npm run envtest:build [-- CACHE-FOLDER [FOLDER-OF-ANOTHER-GO-MOD [PROGRAM]...]]
       npm run envtest:build -- --kubernetes 1.30.14   builds kube-apiserver in another version`;

try {
  const { values, positionals } = readArguments();
  if (values.help === true) {
    console.log(usage);
    process.exit(0);
  }
  const [cache = cacheFolder(process.env), module, ...names] = positionals;
  if (values.kubernetes !== undefined && !/^\d+\.\d+\.\d+$/.test(values.kubernetes))
    throw new Error(`--kubernetes ${values.kubernetes}: must be a version such as 1.30.14`);
  const assets =
    values.kubernetes === undefined
      ? buildPrograms(cache, thisMachine, module, names)
      : buildVersion(cache, thisMachine, values.kubernetes);
  console.log(`export KUBEBUILDER_ASSETS=${assets}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function readArguments() {
  try {
    return parseArgs({
      options: { help: { type: "boolean" }, kubernetes: { type: "string" } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new Error(usage, { cause: error });
  }
}
