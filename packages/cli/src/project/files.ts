import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { NotSoError } from "../command/errors.ts";

/** A file by its path below the project, written with `/`. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export const textAt = (root: string, path: string): string | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;

/** Writes what differs; answers the paths that were written. @throws {NotSoError} if a link would lead out of the folder */
export function writeChanged(root: string, files: readonly TextFile[]): string[] {
  return files.filter(({ path, text }) => writeIfChanged(root, path, text)).map(({ path }) => path);
}

/** Writes what is not there: files that are the user's once they are. */
export function writeMissing(root: string, files: readonly TextFile[]): string[] {
  return writeChanged(
    root,
    files.filter(({ path }) => !existsSync(join(root, path))),
  );
}

function writeIfChanged(root: string, path: string, text: string): boolean {
  if (textAt(root, path) === text) return false;
  refuseWayOut(root, path);
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return true;
}

/** A project may come from somebody else, with links in it to files that are none of its own. */
function refuseWayOut(root: string, path: string): void {
  let there = join(root, path);
  if (isOutside(root, there)) return; // as somebody said who ran this, by a flag
  while (!lstatSync(there, { throwIfNoEntry: false })) there = dirname(there);
  if (isOutside(root, there)) return; // the folder itself is yet to be made
  if (!existsSync(there) || isOutside(realpathSync(root), realpathSync(there)))
    throw new NotSoError(`${path}: a link leads out of ${root}: put a file or a folder in its place`);
}

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}
