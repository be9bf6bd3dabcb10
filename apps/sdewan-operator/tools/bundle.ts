// Bundles the whole operator into one file that needs only Node: dist/sdewan-operator.mjs, or the file given as argument. Run with
// `npm run bundle`.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "@kubewright/cli/build";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = process.argv[2] ?? join(root, "dist/sdewan-operator.mjs");

const { code } = await bundleProgram({ root });
await mkdir(dirname(file), { recursive: true });
await writeFile(file, code);
await chmod(file, 0o755);
