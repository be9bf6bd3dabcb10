import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Writes a file that only its owner can read, and the folders it is in where they are missing.
 *
 * @throws {Error} with the code of what the system refused
 */
export function writePrivately(path: string, text: string): void {
  makeFolder(dirname(resolve(path)));
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600); // a file that was there keeps its mode otherwise
}

/** One level at a time: where nothing can be made, as in `/proc`, Node's own recursive way never returns. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
