import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob, posix } from "node:path";
import type { WorkspacePackage } from "./workspace.ts";

/** Matches `new URL("../…", import.meta.url)`, and `join` or `resolve` of `import.meta.dirname` with literals that begin with `..`. */
const located = /new URL\(\s*["`]((?:\.\.\/|\.\.["`])[^"`$]*)|(?:import\.meta\.dirname),((?:\s*"[^"]*",?)+)/g;

/** A reference in a project's files to a path outside of the project, which its tests therefore read. */
interface Read {
  /** File with the reference, relative to the workspace's root. */
  readonly file: string;
  readonly line: number;
  /** Path relative to the workspace's root; empty for the root itself. */
  readonly target: string;
}

function readsOutside(root: string, folder: string): readonly Read[] {
  const options = { cwd: join(root, folder), exclude: (name: string) => name === "node_modules" || name === "dist" };
  return globSync("**/*.ts", options)
    .sort()
    .flatMap((name) => {
      const file = `${folder}/${name.replaceAll("\\", "/")}`;
      const text = readFileSync(join(root, file), "utf8");
      return [...text.matchAll(located)].flatMap(({ 1: url, 2: words, index }) => {
        const path = url ?? [...(words ?? "").matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word).join("/");
        const target = posix.join(posix.dirname(file), path).replace(/^\.?\/?$|\/$/, "");
        if (target === folder || target.startsWith(`${folder}/`)) return [];
        return [{ file, line: text.slice(0, index).split("\n").length, target }];
      });
    });
}

/**
 * Finds paths outside of a project that its files read, but its `package.json` does not declare. If the files at such a path changed,
 * nx would still use its cached results. A project may read the workspace's root if it declares the files that it reads below the root,
 * or if its tests are not cached.
 */
export function undeclaredReads(
  root: string,
  one: WorkspacePackage,
  packages: readonly WorkspacePackage[],
): readonly string[] {
  if (!one.isCached) return [];
  const sources = dependenciesOf(one, packages).map(({ folder }) => `${folder}/**`);
  const declared = [...sources, "vitest.s*.ts", ...one.elsewhere];
  const isDeclared = ({ target }: Read): boolean => {
    if (target === "") return one.elsewhere.length > 0;
    if (/^node_modules(\/|$)/.test(target)) return true; // the lockfile is an input
    return declared.some((pattern) => matchesGlob(target, pattern) || pattern.startsWith(`${target}/`));
  };
  return readsOutside(root, one.folder)
    .filter((read) => !isDeclared(read))
    .map(
      ({ file, line, target }) =>
        `${file}:${line}: reads ${target || "the root of the workspace"}, which is not an input of its tests; add it to "nx": { "namedInputs": { "elsewhere": ["{workspaceRoot}/…"] } } in ${one.folder}/package.json`,
    );
}

/** Returns the packages that a package depends on, directly and indirectly. */
function dependenciesOf(one: WorkspacePackage, packages: readonly WorkspacePackage[]): readonly WorkspacePackage[] {
  const found = new Set<WorkspacePackage>();
  const visit = (from: WorkspacePackage): void => {
    for (const each of packages)
      if ([...from.dependencies, ...from.devDependencies].includes(each.name) && !found.has(each)) {
        found.add(each);
        visit(each);
      }
  };
  visit(one);
  return [...found];
}
