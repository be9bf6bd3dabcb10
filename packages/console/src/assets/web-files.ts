/**
 * Returns the front end's files, keyed by name. If the program runs from source, the files are bundled on each call. In
 * the published package, `web/build.ts` replaces this module with one that contains the files' text, so that bundled
 * programs contain the files.
 *
 * @throws {Error} if the sources do not build
 */
export async function webFiles(): Promise<Readonly<Record<string, string>>> {
  const builder: unknown = await import(new URL("../../web/bundle.ts", import.meta.url).href);
  if (typeof builder !== "object" || builder === null || !("bundle" in builder) || typeof builder.bundle !== "function")
    throw new Error("web/bundle.ts does not export a function named bundle");
  return builder.bundle();
}
