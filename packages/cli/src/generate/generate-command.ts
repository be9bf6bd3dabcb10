import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import type { Command } from "commander";
import { type CommandContext, type CommonFlags, withCommonFlags, withExample } from "../command/context.ts";
import { UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { textAt, writeChanged, writeMissing } from "../project/files.ts";
import { findProject } from "../project/project.ts";
import { addGenerateClientset } from "./clientset-command.ts";
import { generate, type Output, outputs } from "./generate.ts";
import { addGenerateKinds } from "./kinds-command.ts";
import { excessText } from "./observed-in.ts";

interface GenerateFlags extends CommonFlags {
  readonly check?: true;
  readonly entry: string;
  readonly out: string;
}

interface Item {
  readonly path: string;
  readonly outcome: "written" | "removed" | "stale";
}

const isOutput = (word: string): word is Output => (outputs as readonly string[]).includes(word);

export function addGenerate(program: Command, context: CommandContext): void {
  const command = program
    .command("generate")
    .description("write the program's manifests and reference pages")
    .argument("[what]", `output to write: ${outputs.join(", ")} (default: all except helm)`)
    .option("--check", "write nothing; exit with code 1 if a file is stale")
    .option("--entry <file>", "module that exports setup(manager) and options", "src/operator.ts")
    .option("--out <folder>", "folder for manifests", "config")
    .action((what: string | undefined, flags: GenerateFlags) =>
      context.run((signal) => run(context, what, flags, signal)),
    );
  withExample(withCommonFlags(command), "npx kubewright generate --check");
  addGenerateKinds(command, context);
  addGenerateClientset(command, context);
}

async function run(
  { io, cwd }: CommandContext,
  what: string | undefined,
  { check, entry, out, ...flags }: GenerateFlags,
  signal: AbortSignal,
): Promise<number> {
  if (what !== undefined && !isOutput(what))
    throw new UsageError(`generate ${JSON.stringify(what)}: must be one of ${outputs.join(", ")}, kinds, clientset`);
  const project = findProject(cwd);
  if (/^(?:\/|\.\.(?:\/|$))/.test(out)) throw new UsageError(`--out ${JSON.stringify(out)}: must be in the project`);
  const { root } = project;
  const { files, folders, samples, excess } = await generate(project, {
    output: what,
    entry,
    out,
    signal,
    err: io.err,
  });
  const wanted = new Set(files.map(({ path }) => path));
  const left = folders.flatMap((folder) => generatedIn(root, folder)).filter((path) => !wanted.has(path));
  const report = new Report<Item>(io, flags);
  for (const one of excess) io.err(`${excessText(one)}\n`);
  if (check) {
    const stale = [...files.filter(({ path, text }) => textAt(root, path) !== text).map(({ path }) => path), ...left];
    for (const path of stale) report.add({ path, outcome: "stale" }, `${path} is stale; run kubewright generate`, true);
    report.end();
    return stale.length > 0 ? 1 : 0;
  }
  for (const path of writeChanged(root, files)) report.add({ path, outcome: "written" }, `  ${path}`);
  for (const path of writeMissing(root, samples)) report.add({ path, outcome: "written" }, `  ${path}`);
  for (const path of left) {
    rmSync(join(root, path));
    report.add({ path, outcome: "removed" }, `  ${path} (removed)`);
  }
  report.end();
  return 0;
}

/** Returns the files that `generate` wrote in a folder and its subfolders. `generate` removes only these. */
function generatedIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.yaml$|^Kustomization$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => textAt(root, path)?.startsWith("# Written by kubewright generate"));
}
