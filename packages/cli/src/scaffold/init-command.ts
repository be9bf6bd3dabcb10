import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { ask } from "../command/ask.ts";
import { type CommandContext, type CommonFlags, withCommonFlags, withExample } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { generate } from "../generate/generate.ts";
import { barrelFiles } from "../project/barrel.ts";
import { defaultBase } from "../project/default-base.ts";
import { textAt, writeChanged, writeMissing } from "../project/files.ts";
import { checkFlag, requireFlags } from "../project/names.ts";
import { chosenAtInit, type ProjectFile, projectFileName, readProject } from "../project/project.ts";
import { keepBase, readBaseIfAny, textsOf } from "./base.ts";
import { ownVersion, scaffoldFiles } from "./scaffold-files.ts";

interface InitFlags extends CommonFlags {
  readonly domain?: string;
  readonly name?: string;
  readonly namespaced?: true;
  readonly ci: string;
  readonly install: boolean;
  readonly git: boolean;
  readonly yes?: true;
  readonly force?: true;
}

export function addInit(program: Command, context: CommandContext): void {
  const command = program
    .command("init")
    .description("create a project, or add its missing files")
    .argument("[folder]", "project folder (default: the current folder)")
    .option("--domain <domain>", "domain of the project's API groups (required)")
    .option("--name <name>", "project name (default: the folder's name)")
    .option("--namespaced", "watch only the program's own namespace")
    .option("--ci <where>", "CI system to set up: github or none", "none")
    .option("--no-install", "do not run npm install or generate config/")
    .option("--no-git", "do not run git init")
    .option("--yes", "do not ask for missing values")
    .option("--force", "overwrite existing files that differ")
    .action((folder: string | undefined, flags: InitFlags) =>
      context.run((signal) => init(context, folder, flags, signal)),
    );
  withExample(withCommonFlags(command), "npx kubewright init shop --domain example.com");
}

async function init(
  { io, cwd }: CommandContext,
  folder: string | undefined,
  flags: InitFlags,
  signal: AbortSignal,
): Promise<number> {
  const root = resolve(cwd, folder ?? ".");
  const domain =
    flags.domain ?? (flags.yes ? undefined : await ask(io, "Domain of the project's API groups", "example.com"));
  requireFlags("init", { domain });
  const name = checkFlag("name", flags.name ?? basename(root).toLowerCase());
  const { ci } = flags;
  if (ci !== "github" && ci !== "none") throw new UsageError(`--ci ${JSON.stringify(ci)}: must be github or none`);
  const project: ProjectFile = {
    name,
    domain: checkFlag("domain", domain ?? ""),
    version: ownVersion(),
    namespaced: flags.namespaced ?? false,
    ci,
    base: defaultBase,
  };
  const files = scaffoldFiles(project);
  refuseOthers(root, project, files, flags.force ?? false);
  mkdirSync(root, { recursive: true });
  const write = flags.force ? writeChanged : writeMissing;
  const made = write(root, files);
  // The record of existing files stays, because no upgrade has merged them yet.
  const before = readBaseIfAny(root);
  const base = files.filter(({ path }) => made.includes(path) || !Object.hasOwn(before, path));
  const others = [...barrelFiles(root), keepBase({ ...before, ...textsOf(base) })];
  const written = [...made, ...writeChanged(root, others)];
  const report = new Report<{ path: string }>(io, flags);
  for (const path of written) report.add({ path }, `  ${path}`);
  if (flags.git && !existsSync(resolve(root, ".git"))) run("git", ["init", "--quiet"], root);
  if (flags.install && !existsSync(resolve(root, "node_modules"))) {
    run("npm", ["install", "--no-audit", "--no-fund"], root);
    const { files, samples } = await generate({ ...project, root }, { signal, err: io.err });
    for (const path of [...writeChanged(root, files), ...writeMissing(root, samples)])
      report.add({ path }, `  ${path}`);
  }
  report.end();
  if (made.includes(projectFileName) && !flags.json && !flags.quiet) io.out(nextStep(relative(cwd, root), name, flags));
  return 0;
}

/** Returns the next steps for a new project. */
function nextStep(folder: string, name: string, { install }: InitFlags): string {
  const words = [
    ...(folder === "" ? [] : [`cd ${folder}`]),
    ...(install ? [] : ["npm install"]),
    `npx kubewright create api --group ${name} --version v1 --kind Site`,
  ];
  return `next steps (README.md lists more):\n  ${words.join(" && ")}\n`;
}

/** Refuses a non-empty folder unless it contains the same project. */
function refuseOthers(
  root: string,
  own: ProjectFile,
  files: readonly { path: string; text: string }[],
  isForced: boolean,
): void {
  if (isForced || !existsSync(root)) return;
  const isProject = textAt(root, projectFileName) !== undefined;
  if (isProject && !isSame(readProject(join(root, projectFileName)), own))
    throw new CommandError(
      `${projectFileName} belongs to a different project or version; pass --force to overwrite it`,
    );
  const strangers = isProject ? [] : files.filter(({ path, text }) => (textAt(root, path) ?? text) !== text);
  if (strangers.length > 0)
    throw new CommandError(
      `${root} already contains ${strangers.map(({ path }) => path).join(", ")}; pass --force to overwrite`,
    );
  if (!isProject && readdirSync(root).some((entry) => !/^\.git$|^README|^LICENSE/i.test(entry)) && !isForced)
    throw new CommandError(`${root} is not empty; choose another folder, or pass --force`);
}

/** Returns true if `init` would write the same settings. All other settings are ignored, because users may change them. */
const isSame = (there: ProjectFile, own: ProjectFile): boolean =>
  isDeepStrictEqual(chosenAtInit(there), chosenAtInit(own));

function run(program: string, words: readonly string[], cwd: string): void {
  const { status, error, stderr } = spawnSync(program, words, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0)
    throw new CommandError(
      `${program} ${words.join(" ")}: ${error?.message ?? stderr.trim()}; the files were written; run the command yourself, or pass --no-${program === "git" ? "git" : "install"}`,
    );
}
