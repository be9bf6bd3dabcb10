import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What is made of the same files is the same: kept beside a digest of them, and not made again. */
interface Kept<T> {
  readonly value: T;
  /** Whether it was made now. */
  readonly isNew: boolean;
}

/**
 * What was made last, if it was made of this.
 *
 * @param path of the file that keeps it, as JSON; one that cannot be read is none
 * @param key the digest of all that it is made of
 * @param isWhole whether what it speaks of is still there
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
    if (error instanceof SyntaxError) return undefined; // cut off while it was written
    throw error;
  }
}

/** SHA-256 of files' names and contents, in the order of their names. */
export function digestOf(files: ReadonlyMap<string, string | Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${name}\0${Buffer.byteLength(content)}\0`).update(content);
  return hash.digest("hex");
}

/** The files that match, by their names. */
export function filesOf(root: string, patterns: readonly string[]): ReadonlyMap<string, Buffer> {
  const files = globSync([...patterns], { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(root.length + 1)
      .replaceAll("\\", "/"),
  );
  return new Map(names.map((name) => [name, readFileSync(join(root, name))]));
}
