import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export interface Import {
  /** Importing file, relative to the workspace's root. */
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
}

/** Returns every import, re-export and dynamic import in the TypeScript files below `folder`. */
export function importsUnder(root: string, folder: string): readonly Import[] {
  return globSync("**/*.ts", { cwd: join(root, folder), exclude: (name) => name === "node_modules" || name === "dist" })
    .sort()
    .flatMap((name) => {
      const file = `${folder}/${name.replaceAll("\\", "/")}`;
      const text = readFileSync(join(root, file), "utf8");
      return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
        file,
        line: text.slice(0, pos).split("\n").length,
        specifier: fileName,
      }));
    });
}
