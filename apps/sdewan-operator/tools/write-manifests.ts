// Writes what is generated in config and samples. Run with `npm run manifests`.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { generatedFolders, manifests } from "../src/manifests/manifests.ts";

const operator = fileURLToPath(new URL("..", import.meta.url));
for (const folder of generatedFolders) await rm(join(operator, folder), { recursive: true, force: true });
for (const { path, text } of manifests(operator)) {
  await mkdir(dirname(join(operator, path)), { recursive: true });
  await writeFile(join(operator, path), text);
}
