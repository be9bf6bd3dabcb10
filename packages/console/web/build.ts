import { mkdir, writeFile } from "node:fs/promises";
import { bundle } from "./bundle.ts";

const folder = new URL("../dist/web/", import.meta.url);
await mkdir(folder, { recursive: true });
for (const [name, body] of await bundle()) await writeFile(new URL(name, folder), body);
