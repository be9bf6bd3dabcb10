import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Fence {
  /** The Markdown file, relative to the workspace's root. */
  readonly file: string;
  /** Line of the opening fence. */
  readonly line: number;
  /** The source file that it would be, relative to the workspace's root, if it says so. */
  readonly path?: string;
  readonly code: string;
}

const documents = [
  "README.md",
  "packages/*/README.md",
  "apps/*/README.md",
  "examples/*/README.md",
  "docs/{guide,plane,sdewan,start,tutorial}/*.md",
  "docs/index.md",
];

/** Every block fenced as `ts`, alone or with the path of a source file (`ts src/a.ts`), in the READMEs and pages of the workspace at `root`. Pages of decisions only sketch. */
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
