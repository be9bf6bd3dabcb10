import { writeFile } from "node:fs/promises";
import { bundle, moduleOf } from "./bundle.ts";

// In the place of what bundles the sources.
await writeFile(new URL("../dist/assets/web-files.js", import.meta.url), moduleOf(await bundle()));
