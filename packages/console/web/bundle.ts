import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the files of the front end. They load no external resources. */
export async function bundle(): Promise<Readonly<Record<string, string>>> {
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
  const files = outputFiles.map(
    ({ path, contents }) => [path.replace(/^.*[/\\]/, ""), Buffer.from(contents).toString()] as const,
  );
  const asTheyAre = ["index.html", "icon.svg"].map(async (name) => [name, await readFile(at(name), "utf8")] as const);
  return Object.fromEntries([...(await Promise.all(asTheyAre)), ...files]);
}

/** Returns the text of a module that contains the files. It replaces `src/assets/web-files.ts` in the published package. */
export const moduleOf = (files: Readonly<Record<string, string>>): string =>
  `export const webFiles = async () => (${JSON.stringify(files)});\n`;
