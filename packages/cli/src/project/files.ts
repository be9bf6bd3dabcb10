import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { CommandError } from "../command/errors.ts";

/** A file and its path relative to the project, with `/` as separator. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Maximum size of a file of a project. The largest are lock files. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Returns the content of a file that may have been created by other people. Reads only regular files, because reading a
 * named pipe would block the process and its signal handlers.
 *
 * @throws {CommandError} if the path is not a regular file, or the file is larger than 64 MiB
 *
 * @throws {Error} if the file cannot be read
 */
export const readText = (path: string): string => readBytes(path).toString("utf8");

/** Returns the bytes of a file, like {@link readText}. @param most maximum size, in bytes */
export function readBytes(path: string, most: number = maxBytes): Buffer {
  const found = statSync(path);
  if (!found.isFile()) throw new CommandError(`${path} is not a file`);
  if (found.size > most) throw new CommandError(`${path} is larger than ${most} bytes`);
  return readFileSync(path);
}

/**
 * Returns the content of a project file, or `undefined` if the file does not exist. @throws {CommandError} in the same
 * cases as {@link readText}
 */
export const textAt = (root: string, path: string): string | undefined =>
  existsSync(join(root, path)) ? readText(join(root, path)) : undefined;

/**
 * Writes the files that differ and returns their paths.
 *
 * @throws {CommandError} if a symbolic link leads out of the folder
 */
export function writeChanged(root: string, files: readonly TextFile[]): string[] {
  return files.filter(({ path, text }) => writeIfChanged(root, path, text)).map(({ path }) => path);
}

/** Writes only missing files. Once written, the files belong to the user. */
export function writeMissing(root: string, files: readonly TextFile[]): string[] {
  return writeChanged(
    root,
    files.filter(({ path }) => !existsSync(join(root, path))),
  );
}

function writeIfChanged(root: string, path: string, text: string): boolean {
  if (textAt(root, path) === text) return false;
  rejectOutside(root, path);
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return true;
}

/** Refuses symbolic links that lead out of the project, because other people may have created them. */
function rejectOutside(root: string, path: string): void {
  let there = join(root, path);
  if (isOutside(root, there)) return; // the user chose this path with a flag
  while (!lstatSync(there, { throwIfNoEntry: false })) there = dirname(there);
  if (isOutside(root, there)) return; // the folder does not exist yet
  if (!existsSync(there) || isOutside(realpathSync(root), realpathSync(there)))
    throw new CommandError(`${path} is a link that leads out of ${root}; replace it with a file or folder`);
}

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}
