/**
 * The front end's files, by name. Where sources run they are bundled anew; the package as it is published has in this module's place one
 * that holds their text (`web/build.ts`), so that a program in one file has them, too.
 *
 * @throws {Error} if the sources do not bundle
 */
export async function webFiles(): Promise<Readonly<Record<string, string>>> {
  const builder: unknown = await import(new URL("../../web/bundle.ts", import.meta.url).href);
  if (typeof builder !== "object" || builder === null || !("bundle" in builder) || typeof builder.bundle !== "function")
    throw new Error("web/bundle.ts exports no function bundle");
  return builder.bundle();
}
