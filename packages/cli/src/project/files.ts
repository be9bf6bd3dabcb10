import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file by its path below the project, written with `/`. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export const textAt = (root: string, path: string): string | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;

/** Writes what differs; answers the paths that were written. */
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
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return true;
}
