import { writeFile } from "node:fs/promises";
import { bundle, moduleOf } from "./bundle.ts";

// Replaces the module that bundles the sources with one that contains the bundled files.
await writeFile(new URL("../dist/assets/web-files.js", import.meta.url), moduleOf(await bundle()));
