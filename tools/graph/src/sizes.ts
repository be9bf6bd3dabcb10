import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { floors } from "./floors.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** Maximum share that one package may have in the lines of all packages and apps. */
const maxShare = 0.2;

export interface PackageSize {
  readonly name: string;
  readonly floor: string;
  readonly files: number;
  readonly lines: number;
  /** Share in the lines of all packages and apps, from 0 to 1. */
  readonly share: number;
}

/** Returns the sizes of packages and apps, not counting tests, in the order of floors. */
export function sizesOf(root: string, packages: readonly WorkspacePackage[]): readonly PackageSize[] {
  const counted = packages
    .filter(({ floor }) => floor !== undefined && floor !== "check")
    .map((one) => ({ one, ...count(join(root, one.folder, "src")) }));
  const all = counted.reduce((sum, { lines }) => sum + lines, 0);
  return counted
    .map(({ one, files, lines }) => ({
      name: one.name,
      floor: one.floor ?? "",
      files,
      lines,
      share: all === 0 ? 0 : lines / all,
    }))
    .sort((a, b) => rank(a.floor) - rank(b.floor) || a.name.localeCompare(b.name));
}

const rank = (floor: string): number => (floors as readonly string[]).indexOf(floor);

export function sizesTable(sizes: readonly PackageSize[]): string {
  const width = Math.max(...sizes.map(({ name }) => name.length));
  return sizes
    .map(({ name, floor, files, lines, share }) =>
      [
        floor.padEnd(14),
        name.padEnd(width),
        String(files).padStart(5),
        "files",
        String(lines).padStart(7),
        "lines",
        `${(share * 100).toFixed(1)} %`.padStart(7),
      ].join(" "),
    )
    .join("\n");
}

/** Returns a message for each package that is too large. */
export const tooLarge = (sizes: readonly PackageSize[]): readonly string[] =>
  sizes
    .filter(({ share }) => share > maxShare)
    .map(
      ({ name, share }) => `${name} is ${(share * 100).toFixed(1)} % of all sources; the limit is ${maxShare * 100} %`,
    );

function count(folder: string): { readonly files: number; readonly lines: number } {
  const names = globSync("**/*.ts", { cwd: folder }).filter((name) => !name.endsWith(".test.ts"));
  const lines = names.reduce((sum, name) => sum + readFileSync(join(folder, name), "utf8").split("\n").length - 1, 0);
  return { files: names.length, lines };
}
