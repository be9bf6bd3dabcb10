/** A file of the front end. */
interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** The front end's files, keyed by path. */
export type Assets = ReadonlyMap<string, Asset>;

const files = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/app.js", "app.js", "text/javascript; charset=utf-8"],
  ["/icon.svg", "icon.svg", "image/svg+xml"],
  ["/app.css", "app.css", "text/css; charset=utf-8"],
] as const;

/** Loads the front end on the first request. @throws {Error} if a file is missing, or the sources do not build */
export async function loadAssets(): Promise<Assets> {
  const { webFiles } = await import("./web-files.ts");
  const texts = await webFiles();
  return new Map(
    files.map(([path, name, type]) => {
      const text = texts[name];
      if (text === undefined) throw new Error(`the front end has no file named ${name}`);
      return [path, { type, body: Buffer.from(text) }];
    }),
  );
}
