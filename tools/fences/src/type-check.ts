import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Fence } from "./fences.ts";

/**
 * Compiles every fence as a separate module against the packages' sources; a fence with a path is compiled at that path. Returns the
 * compiler's messages as `file:line: message`, with file and line of the Markdown.
 */
export function typeCheck(root: string, fences: readonly Fence[]): readonly string[] {
  const folder = mkdtempSync(join(root, "tools", "fences", ".checked-"));
  try {
    const byName = new Map(fences.map((fence, index) => [fence.path ?? `${index}.ts`, fence]));
    for (const [name, { code }] of byName) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), `${code}export {};\n`);
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../../tsconfig.base.json",
        compilerOptions: { rootDirs: [".", "../../.."] },
        include: ["**/*.ts"],
      }),
    );
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", ".", "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status === 0) return [];
    return stdout.split("\n").flatMap((line) => {
      const [, name = "", at, message] = line.match(/^(\S+\.ts)\((\d+),\d+\): (.*)$/) ?? [];
      const fence = byName.get(name);
      return fence && message ? [`${fence.file}:${fence.line + Number(at)}: ${message}`] : [];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
