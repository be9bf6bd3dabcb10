// Makes the whole operator one file that needs Node and nothing else: dist/sdewan-operator.mjs, or the file named as argument. Run
// with `npm run bundle`.
import { chmod } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const outfile = process.argv[2] ?? path("dist/sdewan-operator.mjs");

await build({
  entryPoints: [path("src/main.ts")],
  outfile,
  bundle: true,
  platform: "node",
  target: "node22.19",
  format: "esm",
  conditions: ["@kubewright/source"],
  // Packages written for CommonJS ask for `require`, which an ES module does not have by itself.
  banner: {
    js: 'import { createRequire as kubewrightCreateRequire } from "node:module"; const require = kubewrightCreateRequire(import.meta.url);',
  },
  // A third of the size. Names stay, for stack traces that can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
});
await chmod(outfile, 0o755);
