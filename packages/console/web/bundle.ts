import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The files of the front end, by name. Nothing is loaded from elsewhere when they run. */
export async function bundle(): Promise<ReadonlyMap<string, Buffer>> {
  const { outputFiles } = await build({
    entryPoints: { app: at("main.ts") },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    outdir: "/",
    legalComments: "none",
    logLevel: "silent",
    loader: { ".css": "css" },
  });
  const files = outputFiles.map(({ path, contents }) => [path.replace(/^.*[/\\]/, ""), Buffer.from(contents)] as const);
  const asTheyAre = ["index.html", "icon.svg"].map(async (name) => [name, await readFile(at(name))] as const);
  return new Map([...(await Promise.all(asTheyAre)), ...files]);
}
