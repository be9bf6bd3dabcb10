import type { Export } from "./exports.ts";

/** A class of errors that a package exports. */
export interface ErrorClass {
  readonly name: string;
  readonly specifier: string;
  /** Its first sentences, as the source has them. */
  readonly says: string;
}

/** The exported names that are classes of errors, each once: by the package that declares it, where that exports it. */
export function errorClasses(exported: readonly Export[]): readonly ErrorClass[] {
  const classes = Map.groupBy(
    exported.filter(({ isError }) => isError),
    ({ name, file, line }) => `${name} ${file}:${line}`,
  );
  return [...classes.values()]
    .flatMap((doors) => {
      const [first] = doors;
      const own =
        doors.find(({ entry, file }) => entry.file.split("/", 2).join() === file.split("/", 2).join()) ?? first;
      return own ? [{ name: own.name, specifier: own.entry.specifier, says: firstPartOf(own.comment) }] : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

const firstPartOf = (comment: string): string => comment.split(/\n\s*\n/, 1)[0]?.replaceAll(/\s+/g, " ") ?? "";
