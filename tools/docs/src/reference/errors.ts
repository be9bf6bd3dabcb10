import type { Export } from "./exports.ts";

/** An error class that a package exports. */
export interface ErrorClass {
  readonly name: string;
  readonly specifier: string;
  /** First sentences of the class's comment. */
  readonly description: string;
}

/** Returns the exported error classes. Each class occurs only once, preferably under the package that declares it. */
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
      return own ? [{ name: own.name, specifier: own.entry.specifier, description: firstPartOf(own.comment) }] : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

const firstPartOf = (comment: string): string => comment.split(/\n\s*\n/, 1)[0]?.replaceAll(/\s+/g, " ") ?? "";
