// Writes config/crd/bases from src/api. Run with `npm run crds`.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { crdManifests } from "../src/api/crd-manifests.ts";

const bases = new URL("../config/crd/bases/", import.meta.url);
await rm(bases, { recursive: true, force: true });
await mkdir(bases, { recursive: true });
for (const { name, text } of crdManifests()) await writeFile(new URL(name, bases), text);
