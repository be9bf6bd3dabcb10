import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import type { Command } from "commander";
import { type CommandContext, type CommonFlags, withCommonFlags, withExample } from "../command/context.ts";
import { UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { barrelFiles } from "../project/barrel.ts";
import { defaultBase } from "../project/default-base.ts";
import { type TextFile, textAt, writeChanged } from "../project/files.ts";
import { chosenAtInit, findProject, type Project, projectFileName } from "../project/project.ts";
import { keepBase, keepConflicts, readBase, readConflicts, type Texts, textsOf } from "./base.ts";
import { ownVersion, scaffoldFiles } from "./scaffold-files.ts";
import { renamed, renamedFiles, type Upgraded, upgradedFiles } from "./upgraded-files.ts";

interface UpgradeFlags extends CommonFlags {
  readonly dryRun?: true;
}

type Item = Pick<Upgraded, "path" | "outcome" | "message">;

export function addUpgrade(program: Command, context: CommandContext): void {
  const command = program
    .command("upgrade")
    .description("update scaffolded files, keeping your changes")
    .option("--dry-run", "write nothing; exit with code 1 if there are conflicts")
    .action((flags: UpgradeFlags) => context.run(async () => upgrade(context, flags)));
  withExample(withCommonFlags(command), "npx kubewright upgrade --dry-run");
}

function upgrade({ io, cwd }: CommandContext, flags: UpgradeFlags): number {
  const project = findProject(cwd);
  const { root } = project;
  const version = ownVersion();
  refuseOlder(project, version);
  const texts = { base: readBase(root), next: textsOf(newScaffold(project, version)), offered: readConflicts(root) };
  const upgraded = upgradedFiles(texts, (path) => textAt(root, path), `kubewright ${version}`).map((one) =>
    one.path === projectFileName
      ? ofProjectFile(one, project, version, { was: texts.base[projectFileName], next: texts.next[projectFileName] })
      : { ...one, ...(one.text === undefined || one.outcome === "same" ? {} : { text: renamed(one.text) }) },
  );
  const barrels = barrelFiles(root).filter(({ path, text }) => textAt(root, path) !== text);
  const changed = upgraded.filter(({ outcome }) => outcome !== "same");
  const settled = new Set([...changed, ...barrels].map(({ path }) => path));
  const sources = renamedFiles(root).filter(({ path }) => !settled.has(path));
  if (!flags.dryRun && isDirty(root))
    io.err("there are uncommitted changes; git diff will show them together with the changes made by this upgrade\n");
  const report = new Report<Item>(io, flags);
  for (const { path, outcome, message } of upgraded)
    if (outcome !== "same") {
      const line = `${path} ${outcome}${message ? `: ${message}` : ""}`;
      report.add({ path, outcome, ...(message ? { message } : {}) }, line, outcome === "conflict");
    }
  for (const { path } of barrels) report.add({ path, outcome: "replaced" }, `${path} replaced`);
  const message = "contained names from earlier versions";
  for (const { path } of sources) report.add({ path, outcome: "replaced", message }, `${path} replaced: ${message}`);
  if (!flags.dryRun) write(root, upgraded, [...barrels, ...sources]);
  report.end();
  const isChanged = upgraded.some((one) => one.path === "package.json" && /replaced|merged/.test(one.outcome));
  if (isChanged && !flags.quiet && !flags.json) io.out("next, run: npm install && npx kubewright generate\n");
  return upgraded.some(({ outcome }) => outcome === "conflict") ? 1 : 0;
}

const newScaffold = (project: Project, version: string): TextFile[] =>
  scaffoldFiles({ ...chosenAtInit(project), version, base: defaultBase });

/** Updates the version and, unless the user has changed it, the base image. Keeps all other settings. */
function ofProjectFile(
  { path }: Upgraded,
  project: Project,
  version: string,
  { was, next }: { readonly was: string | undefined; readonly next: string | undefined },
): Upgraded {
  const base = project.base === writtenBase(was) ? defaultBase : project.base;
  if (project.version === version && project.base === base)
    return { path, outcome: "same", text: textAt(project.root, path), base: next };
  const { root: _root, ...fields } = project;
  const text = `${JSON.stringify({ ...fields, version, base }, undefined, 2)}\n`;
  return { path, outcome: "replaced", text, base: next };
}

/** Returns the base image that the scaffold wrote, or undefined for early scaffolds, which wrote none. */
function writtenBase(text: string | undefined): string | undefined {
  try {
    const record: unknown = JSON.parse(text ?? "{}");
    return isRecord(record) && typeof record.base === "string" ? record.base : undefined;
  } catch {
    return undefined; // someone edited the record by hand
  }
}

function write(root: string, upgraded: readonly Upgraded[], replaced: readonly TextFile[]): void {
  const fileOf = (field: "text" | "base" | "offered") =>
    upgraded.flatMap((one) => (one[field] === undefined ? [] : { path: one.path, text: one[field] }));
  for (const { path, outcome } of upgraded) if (outcome === "removed") rmSync(join(root, path));
  const offered: Texts = textsOf(fileOf("offered"));
  const conflicts = keepConflicts(offered);
  writeChanged(root, [...fileOf("text"), ...replaced, keepBase(textsOf(fileOf("base")))]);
  if (Object.keys(offered).length > 0) writeChanged(root, [conflicts]);
  else rmSync(join(root, conflicts.path), { force: true });
}

/** Refuses a project that is newer than this package. @throws {UsageError} if the project's version is later than the installed one */
function refuseOlder(project: Project, version: string): void {
  const numbersOf = (text: string): number[] => text.split(/[.-]/, 3).map(Number);
  const [there, here] = [numbersOf(project.version), numbersOf(version)];
  const first = there.findIndex((number, i) => number !== here[i]);
  if (first >= 0 && (there[first] ?? 0) > (here[first] ?? 0))
    throw new UsageError(
      `${projectFileName}: version ${JSON.stringify(project.version)} is later than the installed ${version}; run npm install --save-dev @kubewright/cli@${project.version}`,
    );
}

/** Returns true if the repository has uncommitted changes; false outside a repository. */
function isDirty(root: string): boolean {
  const { status, stdout } = spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  return status === 0 && stdout.trim() !== "";
}
