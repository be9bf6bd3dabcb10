import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A stored result that depends only on files. It is stored together with a digest of these files, and not computed again as
 * long as they are unchanged.
 */
interface Kept<T> {
  readonly value: T;
  /** True if this call has computed the result. */
  readonly isNew: boolean;
}

/**
 * Returns the stored result if it was computed from the same input, otherwise computes it.
 *
 * @param path JSON file that stores it; a file that cannot be read is treated as missing
 * @param key digest of the whole input
 * @param isWhole reports whether the files to which the result refers still exist
 */
export async function kept<T>(
  path: string,
  key: string,
  make: () => Promise<T>,
  isWhole: (value: T) => boolean = () => true,
): Promise<Kept<T>> {
  const last = lastOf<T>(path);
  if (last?.key === key && isWhole(last.value)) return { value: last.value, isNew: false };
  const value = await make();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ key, value }));
  return { value, isNew: true };
}

function lastOf<T>(path: string): { readonly key: string; readonly value: T } | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as { key: string; value: T };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // truncated while it was written
    throw error;
  }
}

/** Returns the SHA-256 of names and contents of files, sorted by name. */
export function digestOf(files: ReadonlyMap<string, string | Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${name}\0${Buffer.byteLength(content)}\0`).update(content);
  return hash.digest("hex");
}

/** Returns the contents of the matching files, keyed by name. */
export function filesOf(root: string, patterns: readonly string[]): ReadonlyMap<string, Buffer> {
  const files = globSync([...patterns], { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(root.length + 1)
      .replaceAll("\\", "/"),
  );
  return new Map(names.map((name) => [name, readFileSync(join(root, name))]));
}
