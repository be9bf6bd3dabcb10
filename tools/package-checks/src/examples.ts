import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { run } from "./command.ts";
import { thisNode } from "./nodes.ts";
import { Program } from "./program.ts";

/** Examples that are copied by default: the one that readers try first, and the one with the most requirements. */
const usual = ["01-minimal", "08-cronjob"];

/**
 * Returns the requested examples of the workspace at `root`; `asked` is `all`, a comma-separated list, or undefined.
 *
 * @throws {Error} if one does not exist
 */
export function chosenExamples(root: string, asked: string | undefined): readonly string[] {
  const all = readdirSync(join(root, "examples")).filter((name) => /^\d/.test(name));
  const chosen = asked === "all" ? all : (asked?.split(",") ?? usual);
  const stranger = chosen.find((name) => !all.includes(name));
  if (stranger !== undefined) throw new Error(`--examples ${stranger}: must be all, or some of ${all.join(",")}`);
  return chosen;
}

/** Copies an example's committed files to `folder` and runs the commands of its README there, with only the packed packages. */
export async function copiedOut(
  root: string,
  name: string,
  folder: string,
  common: NodeJS.ProcessEnv,
): Promise<string> {
  const began = performance.now();
  const from = join(root, "examples", name);
  for (const path of run("git", ["ls-files", "-z"], { cwd: from }).split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(from, path), join(folder, path));
  }
  const options = { cwd: folder, env: { ...common, PATH: `${thisNode.bin}${delimiter}${process.env.PATH}` } };
  run("npm", ["install", "--no-audit", "--no-fund"], options);
  run("npm", ["run", "typecheck"], options);
  run("npm", ["test"], options);
  await using started = new Program("npm", ["start"], folder, options.env);
  await started.prints(/^ {2}kubectl .*/m);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  return `examples/${name}, copied, installs, compiles, passes its tests and starts: ${seconds} s`;
}
