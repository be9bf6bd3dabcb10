import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cachedAt, isPinned, pinned } from "./pinned.ts";

/** Downloads missing files through the Go module proxy. Deletes files with a wrong hash. */
function main(): number {
  const missing = pinned.filter((one) => !isPinned(one));
  const work = mkdtempSync(join(tmpdir(), "kubewright-third-party-"));
  let failed = 0;
  try {
    writeFileSync(join(work, "go.mod"), "module thirdparty\n");
    for (const module of new Set(missing.map(({ module, version }) => `${module}@${version}`))) {
      try {
        const output = execFileSync("go", ["mod", "download", "-json", module], { cwd: work, encoding: "utf8" });
        const { Dir } = JSON.parse(output) as { Dir: string };
        for (const one of missing.filter((each) => `${each.module}@${each.version}` === module)) {
          mkdirSync(dirname(cachedAt(one)), { recursive: true });
          writeFileSync(cachedAt(one), readFileSync(join(Dir, one.path)));
          if (isPinned(one)) continue;
          rmSync(cachedAt(one));
          throw new Error(`${one.path} does not match its pinned hash`);
        }
      } catch (error) {
        failed++;
        console.error(`${module}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    rmSync(work, { recursive: true });
  }
  console.log(`${pinned.filter(isPinned).length} of ${pinned.length} files are present`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = main();
