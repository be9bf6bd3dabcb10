import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fence } from "./fences.ts";

/**
 * Compiles every fence as a module of its own, against the packages' sources. Returns what the compiler says, as
 * `file:line: message` of the Markdown file.
 */
export function typeCheck(root: string, fences: readonly Fence[]): readonly string[] {
  const folder = mkdtempSync(join(root, "tools", "fences", ".checked-"));
  try {
    fences.forEach(({ code }, index) => {
      writeFileSync(join(folder, `${index}.ts`), `${code}export {};\n`);
    });
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../../tsconfig.base.json", include: ["*.ts"] }),
    );
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", ".", "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status === 0) return [];
    return stdout.split("\n").flatMap((line) => {
      const [, index, at, message] = line.match(/^(\d+)\.ts\((\d+),\d+\): (.*)$/) ?? [];
      const fence = fences[Number(index)];
      return fence && message ? [`${fence.file}:${fence.line + Number(at)}: ${message}`] : [];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
