import { posix } from "node:path";
import type { Import } from "./imports.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** Maximum number of sources in one folder. */
const most = 24;

/**
 * Checks the order of a package's rooms, which are the folders of its sources. `"kubewright": { "rooms": ["store", "reader"] }` in
 * `package.json` lists them in the direction of imports: a file imports only from its own room and from rooms listed before it. Files
 * outside of the folders come after all rooms. A room next to `src`, such as `"../demo"`, comes after these files. Tests, files below
 * `testing/` and every `index.ts` may import anything; no source may import an `index.ts` of its own package.
 *
 * @param files sources relative to the package's `src`
 */
export function roomViolations(
  one: WorkspacePackage,
  files: readonly string[],
  imports: readonly Import[],
): readonly string[] {
  const sources = files.filter(isSource);
  const unnamed = [...new Set(sources.filter((file) => file.includes("/") && roomOf(file, one.rooms) === top))].map(
    (file) => posix.dirname(file),
  );
  const missing = [...new Set(unnamed)].map(
    (folder) => `${one.folder}/package.json: src/${folder} is not in a room; add it to "kubewright": { "rooms": […] }`,
  );
  const gone = one.rooms
    .filter((room) => !sources.some((file) => file.startsWith(`${room}/`)))
    .map((room) => `${one.folder}/package.json: room "${room}" has no sources`);
  const wrong = imports.flatMap((each) => {
    const why = against(one, each);
    return why ? [`${each.file}:${each.line}: imports ${each.specifier}: ${why}`] : [];
  });
  return [...missing, ...gone, ...crowded(one, sources), ...wrong];
}

const top = "";

function against(one: WorkspacePackage, each: Import): string | undefined {
  const own = posix.relative(`${one.folder}/src`, each.file);
  if (!each.specifier.startsWith(".") || !isSource(own) || isOutside(own, one.rooms)) return undefined;
  if (posix.basename(own) === "index.ts") return undefined;
  const other = posix.relative(`${one.folder}/src`, posix.join(posix.dirname(each.file), each.specifier));
  const [from, to] = [roomOf(own, one.rooms), roomOf(other, one.rooms)];
  const [at, target] = [rank(from, one.rooms), rank(to, one.rooms)];
  if (target <= at) return undefined;
  const before = one.rooms.slice(0, at).join(", ") || "nothing";
  const importer = from === top ? "files outside of the rooms" : `room "${from}"`;
  const imported = to === top ? "files outside of the rooms" : `"${to}"`;
  return `${importer} may import from ${before}, not from ${imported}`;
}

/** Returns the innermost room that contains a file. */
function roomOf(file: string, rooms: readonly string[]): string {
  return rooms.filter((room) => file.startsWith(`${room}/`)).reduce((a, b) => (b.length > a.length ? b : a), top);
}

function rank(room: string, rooms: readonly string[]): number {
  if (room === top) return rooms.filter((each) => !isBeside(each)).length;
  return rooms.indexOf(room) + (isBeside(room) ? 1 : 0);
}

/** Reports whether a room, or a file relative to `src`, is next to `src`. */
const isBeside = (path: string): boolean => path.startsWith("../");

function crowded(one: WorkspacePackage, sources: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of sources) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > most)
    .map(([folder, count]) => {
      const where = posix.join(one.folder, "src", folder);
      return `${where}: ${count} sources in one folder; divide more than ${most} into rooms`;
    });
}

const isSource = (file: string): boolean =>
  file.endsWith(".ts") && !file.endsWith(".test.ts") && !/(^|\/)testing\//.test(file);

/** Reports whether a file relative to `src` is neither below `src` nor in a room. */
export const isOutside = (file: string, rooms: readonly string[]): boolean =>
  isBeside(file) && roomOf(file, rooms) === top;
