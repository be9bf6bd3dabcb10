import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Fence {
  /** Markdown file, relative to the workspace's root. */
  readonly file: string;
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  /** Path of the source file that the fence names, if any, relative to the workspace's root. */
  readonly path?: string;
  readonly code: string;
}

const documents = [
  "README.md",
  "packages/*/README.md",
  "apps/*/README.md",
  "examples/*/README.md",
  "docs/{contributing,guide,plane,sdewan,start,tutorial}/*.md",
  "docs/index.md",
];

/**
 * Returns every block fenced as `ts`, with or without the path of a source file (`ts src/a.ts`), in the READMEs and pages of the workspace
 * at `root`. Decision records are excluded because their code is only a sketch.
 */
export function fencesOf(root: string): readonly Fence[] {
  return globSync(documents, { cwd: root })
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...text.matchAll(/^```ts(?: (?<path>\S+\.ts))?\n(?<code>[\s\S]*?)^```/gm)].map((match) => ({
        file: file.replaceAll("\\", "/"),
        line: text.slice(0, match.index).split("\n").length,
        ...(match.groups?.path ? { path: match.groups.path } : {}),
        code: match.groups?.code ?? "",
      }));
    });
}
