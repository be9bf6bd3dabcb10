import { readFile } from "node:fs/promises";

/** A file of the front end, in memory. */
interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** By path. */
export type Assets = ReadonlyMap<string, Asset>;

const files = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/app.js", "app.js", "text/javascript; charset=utf-8"],
  ["/icon.svg", "icon.svg", "image/svg+xml"],
  ["/app.css", "app.css", "text/css; charset=utf-8"],
] as const;

const isSource = import.meta.url.endsWith(".ts");

/**
 * The front end: read from the package once; where the sources themselves run, bundled anew.
 *
 * @throws {Error} if the package was not built, or its sources do not bundle
 */
export async function loadAssets(): Promise<Assets> {
  const texts = isSource ? await bundled() : await built();
  return new Map(files.map(([path, name, type]) => [path, { type, body: texts.get(name) ?? Buffer.alloc(0) }]));
}

async function built(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = new URL("../web/", import.meta.url);
  const read = files.map(async ([, name]) => [name, await readFile(new URL(name, folder))] as const);
  return new Map(await Promise.all(read));
}

async function bundled(): Promise<ReadonlyMap<string, Buffer>> {
  const builder: unknown = await import(new URL("../../web/bundle.ts", import.meta.url).href);
  if (typeof builder !== "object" || builder === null || !("bundle" in builder) || typeof builder.bundle !== "function")
    throw new Error("web/bundle.ts exports no function bundle");
  return builder.bundle();
}
