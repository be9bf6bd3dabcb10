import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** A temporary workspace with the given files that uses this workspace's vitest. */
export class Planted implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "mutants-"));

  constructor(files: Readonly<Record<string, string>>) {
    const manifest = (name: string, more: object = {}): string =>
      JSON.stringify({ name, type: "module", scripts: { test: "vitest run" }, ...more });
    symlinkSync(resolve(import.meta.dirname, "../../../node_modules"), join(this.root, "node_modules"));
    const all = {
      "package.json": manifest("root", { workspaces: ["packages/*", "tests/*"] }),
      "packages/a/package.json": manifest("a"),
      "tests/t/package.json": manifest("t", { dependencies: { a: "0.1.0" } }),
      ...files,
    };
    for (const [path, text] of Object.entries(all)) this.write(path, text);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
