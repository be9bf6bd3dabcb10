import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../main.ts";
import { recordedIo } from "./recorded-io.ts";

const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

/** A folder outside the workspace that uses the workspace's packages. */
export class ProjectFolder {
  readonly root = mkdtempSync(join(tmpdir(), "kubewright-project-"));

  /** Creates the project `shop`. */
  async init(...flags: string[]): Promise<Ran> {
    const ran = await this.run(
      "init",
      "--domain",
      "example.com",
      "--name",
      "shop",
      "--no-install",
      "--no-git",
      ...flags,
    );
    symlinkSync(modules, join(this.root, "node_modules"));
    return ran;
  }

  async run(...words: string[]): Promise<Ran> {
    const io = {
      ...recordedIo({ HOME: this.root, PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      cwd: this.root,
    };
    const code = await main(words, io);
    return { code, out: io.written.out, err: io.written.err };
  }

  /** Returns all files with their text, except installed packages. */
  files(): Record<string, string> {
    const pathsIn = (folder: string): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return entry.name === "node_modules" ? [] : pathsIn(path);
        return entry.isFile() ? [path] : [];
      });
    return Object.fromEntries(
      pathsIn(this.root)
        .map((path) => [relative(this.root, path), path] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, path]) => [name, readFileSync(path, "utf8")]),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
