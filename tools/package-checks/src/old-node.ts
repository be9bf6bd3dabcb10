import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "./command.ts";
import type { OutsideProject } from "./outside-project.ts";

const programs = { "an import": "src/import.mjs", "a bundle": "dist/bundled.cjs" };

/** Checks that programs print one line on a Node that is too old. @throws {Error} if the output is different */
export function greetOldNode({ folder }: OutsideProject): string {
  const old = oldNode();
  if (!old) return "not run: programs on a Node that is too old, because there is none on the PATH";
  writeFileSync(
    join(folder, "src", "import.mjs"),
    'import { Manager } from "kubewright";\nconsole.log(typeof Manager);\n',
  );
  for (const [what, path] of Object.entries(programs)) {
    const { status, stdout, stderr } = spawnSync(old.path, [path], { cwd: folder, encoding: "utf8" });
    const expected = `kubewright needs Node.js 22.19 or newer; this is ${old.version}\n`;
    if (status !== 1 || stdout !== "" || stderr !== expected)
      throw new Error(`${what} on Node ${old.version} ended with ${status} and printed ${stdout}${stderr}`);
  }
  return `on Node ${old.version} ${Object.keys(programs).join(" and ")} end with a one-line message`;
}

function oldNode(): { readonly path: string; readonly version: string } | undefined {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, "node");
    try {
      const version = run(path, ["--version"], { cwd: "." }).trim().slice(1);
      const [major = 0, minor = 0] = version.split(".").map(Number);
      if (major < 22 || (major === 22 && minor < 19)) return { path, version };
    } catch {
      // no Node here
    }
  }
  return undefined;
}
