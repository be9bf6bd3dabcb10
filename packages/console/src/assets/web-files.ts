/**
 * Returns the files of the front end by name. When run from source, bundles them each time. In the published package, `web/build.ts`
 * replaces this module with one that contains their text, so bundled programs contain them.
 *
 * @throws {Error} if the sources do not build
 */
export async function webFiles(): Promise<Readonly<Record<string, string>>> {
  const builder: unknown = await import(new URL("../../web/bundle.ts", import.meta.url).href);
  if (typeof builder !== "object" || builder === null || !("bundle" in builder) || typeof builder.bundle !== "function")
    throw new Error("web/bundle.ts exports no function bundle");
  return builder.bundle();
}
