import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Bundles a program of this folder into one gzipped file that needs only Node. */
export async function bundled(name: string): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    write: false,
    bundle: true,
    platform: "node",
    target: "node22.19",
    format: "esm",
    conditions: ["@kubewright/source"],
    external: ["@kubernetes/client-node"], // only kubeconfigs with plug-ins need it
    // CommonJS modules need `require`
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "silent",
  });
  const [file] = outputFiles;
  if (!file) throw new Error(`${name} produced no file`);
  return gzipSync(file.contents);
}
