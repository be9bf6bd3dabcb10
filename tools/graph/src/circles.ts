import { posix } from "node:path";
import type { Import } from "./imports.ts";

/**
 * Finds import cycles, including cycles of type imports. Returns one list of files, sorted by name, for each group of files that import
 * one another.
 */
export function circles(imports: readonly Import[]): readonly (readonly string[])[] {
  const targets = new Map<string, string[]>();
  for (const { file, specifier } of imports)
    if (specifier.startsWith(".")) {
      const known = targets.get(file) ?? [];
      known.push(posix.join(posix.dirname(file), specifier));
      targets.set(file, known);
    }
  return knots(targets).filter((files) => files.length > 1 || files.some((file) => targets.get(file)?.includes(file)));
}

/** Returns the strongly connected components, by Tarjan's algorithm. */
function knots(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    stack.push(file);
    let lowest = own;
    for (const target of targets.get(file) ?? [])
      if (!index.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, low.get(target) ?? index.get(target) ?? own);
    low.set(file, lowest);
    if (lowest === own) found.push(stack.splice(stack.indexOf(file)).sort());
    return lowest;
  };
  for (const file of [...targets.keys()].sort()) if (!index.has(file)) visit(file);
  return found;
}
