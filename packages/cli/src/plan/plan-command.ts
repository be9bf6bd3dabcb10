import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readManifests } from "@kubewright/client/apply";
import type { FieldChange, PlanFailure, PlannedChange, PlannedManifest, PlanReport } from "@kubewright/simulation/plan";
import { type Command, Option } from "commander";
import { withClient } from "../cluster/connect.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { UsageError } from "../command/errors.ts";
import { onOneLine } from "../command/printable.ts";
import { findProject } from "../project/project.ts";

interface PlanFlags extends ClusterFlags {
  readonly filename?: readonly string[];
  readonly recursive?: true;
  readonly entry?: string;
  readonly allow: readonly string[];
  readonly settle?: true;
  readonly confirm?: true;
  readonly maxCopy: string;
  readonly output?: string;
}

/** Program of a project, which exports `setup(manager)`. */
const defaultEntry = "src/operator.ts";

/** Exit codes. 0: no changes. 1: changes, or objects whose changes are not known. */
const failureCodes: Readonly<Record<PlanFailure, number>> = { input: 2, cluster: 3, loop: 4, program: 5 };

const exitCodes = `
Exit codes: 0 no changes; 1 changes, or objects whose changes are unknown; 2 invalid usage or an invalid manifest;
3 the cluster denies a read or is unreachable; 4 the program does not settle; 5 the program fails.

The command runs the program in this folder against an in-memory copy of the cluster. To plan an upgrade, run the command in
a checkout of the new version: the copy then uses the CRDs, webhooks and conversions of the new version.`;

export function addPlan(program: Command, context: CommandContext): void {
  const collect = (value: string, former: readonly string[] = []): string[] => [...former, value];
  const command = program
    .command("plan")
    .description("show what the program would change in a cluster")
    .option("-f, --filename <place>", "file, folder or URL to apply before the program runs (repeatable)", collect)
    .option("-R, --recursive", "include subfolders")
    .option("--entry <path>", `module that exports setup(manager) (default: ${defaultEntry})`)
    .addOption(
      new Option("--allow <host:port>", "address that the program may connect to; repeatable")
        .argParser(collect)
        .default([], "none"),
    )
    .option("--settle", "also run built-in controllers and a simulated node, so that Deployments become available")
    .option("--confirm", "send the results to the cluster as dry runs, to check them against its webhooks and quotas")
    .option("--max-copy <MiB>", "maximum total size of the copied objects, in MiB", "512")
    .addOption(new Option("-o, --output <format>", "output format; json is the same as --json").choices(["json"]))
    .argument("[command...]", "program written in another language, and its arguments, after --")
    .action((words: string[], flags: PlanFlags) => context.run((signal) => plan(context, words, flags, signal)));
  withExample(
    withClusterFlags(command),
    "npx kubewright plan --context prod",
    "npx kubewright plan -f config/samples -- ./manager --metrics-bind-address 0",
  );
  command.addHelpText("after", exitCodes);
}

async function plan(
  context: CommandContext,
  command: readonly string[],
  flags: PlanFlags,
  signal: AbortSignal,
): Promise<number> {
  const { io, cwd } = context;
  const { confirm, settle, allow, entry } = flags;
  if (!/^[1-9]\d{0,5}$/.test(flags.maxCopy))
    throw new UsageError(`--max-copy ${JSON.stringify(flags.maxCopy)} is not a number of MiB from 1 to 999999`);
  const maxBytes = Number(flags.maxCopy) << 20;
  const module = command.length > 0 ? undefined : moduleAt(cwd, entry);
  if (!module && allow.length > 0)
    throw new UsageError(
      "--allow requires a program in this project: connections from a program after -- are not restricted",
    );
  if (!module && entry !== undefined) throw new UsageError("--entry and a program after -- cannot be used together");
  if (!module && process.platform === "win32")
    throw new UsageError("plan -- PROGRAM requires Linux or macOS, because it kills process groups");
  const manifests = await manifestsOf(context, flags, signal);
  const simulation = await import("@kubewright/simulation/plan");
  return withClient(context, flags, async ({ connection }) => {
    const common = { connection, manifests, settle, confirm, maxBytes, signal };
    try {
      const report = module
        ? await simulation.plan(module, { ...common, allow })
        : await simulation.planProgram({ ...common, command, cwd, env: io.env });
      return print(context, report, flags);
    } catch (error) {
      if (!simulation.isPlanError(error)) throw error;
      io.err(`${error.message.split("\n").map(onOneLine).join("\n")}\n`);
      return failureCodes[error.reason];
    }
  });
}

function print({ io }: CommandContext, report: PlanReport, { json, quiet, output }: PlanFlags): number {
  if (json || output === "json") io.out(`${JSON.stringify(report, undefined, 2)}\n`);
  else if (!quiet)
    io.out(
      planLines(report)
        .map((line) => `${onOneLine(line)}\n`)
        .join(""),
    );
  return report.changes.length + report.unknown.length > 0 ? 1 : 0;
}

/** Returns the URL of the project's program. @throws {UsageError} if it does not exist */
function moduleAt(cwd: string, entry: string | undefined): URL {
  const path = entry === undefined ? resolve(findProject(cwd).root, defaultEntry) : resolve(cwd, entry);
  if (existsSync(path)) return pathToFileURL(path);
  throw new UsageError(
    `--entry ${JSON.stringify(entry ?? defaultEntry)} does not exist; pass the module that exports setup(manager), or a program after --`,
  );
}

/** Reads the manifests. @throws {UsageError} if one cannot be read */
async function manifestsOf(
  { cwd, io }: CommandContext,
  { filename = [], recursive }: PlanFlags,
  signal: AbortSignal,
): Promise<readonly PlannedManifest[]> {
  const at = (place: string): string => (place === "-" || /^https?:\/\//.test(place) ? place : resolve(cwd, place));
  const { manifests, unreadable } = await readManifests(
    { files: filename.map(at), recursive },
    { signal, env: { ...io.env }, ...(io.stdin ? { stdin: io.stdin } : {}) },
  );
  if (unreadable.length > 0)
    throw new UsageError(unreadable.map(({ source, error }) => `-f ${source}: ${error.message}`));
  return manifests.map(({ object, source }) => ({
    object,
    source: isAbsolute(source) ? relative(cwd, source) : source,
  }));
}

const signs = { create: "+", change: "~", delete: "-" } as const;
/** Maximum number of fields of one object, and of characters of one value. */
const [maxFields, maxLength] = [8, 80] as const;

/** Returns the lines that describe a plan. */
export function planLines(report: PlanReport): string[] {
  const { changes, unknown, unchanged, reconciles, limits } = report;
  const rows = [
    ...changes.map(changeRow),
    ...unknown.map(({ object, reason }) => {
      const [kind = "", ...rest] = object.split(" ");
      return { sign: "!", kind, key: rest.join(" "), text: reason, more: [], cause: undefined };
    }),
  ];
  const [kindWidth, keyWidth] = [widthOf(rows.map(({ kind }) => kind)), widthOf(rows.map(({ key }) => key))];
  const textWidth = widthOf(rows.filter(({ cause }) => cause !== undefined).map(({ text }) => text));
  const lines = rows.flatMap(({ sign, kind, key, text, more, cause }) => {
    const start = `${sign} ${kind.padEnd(kindWidth)} ${key.padEnd(keyWidth)}`;
    const first = `${start}  ${cause === undefined ? text : `${text.padEnd(textWidth)}  (${cause})`}`;
    return [first.trimEnd(), ...more.map((line) => `${" ".repeat(start.length)}  ${line}`)];
  });
  const count = (action: PlannedChange["action"]): number => changes.filter((each) => each.action === action).length;
  const counts = [
    `${count("create")} to create`,
    `${count("change")} to change`,
    `${count("delete")} to delete`,
    `${unchanged} unchanged`,
    ...(unknown.length > 0 ? [`${unknown.length} unknown`] : []),
  ].join(", ");
  const settled = reconciles === undefined ? "" : `; settled after ${reconciles} reconciles`;
  return [...lines, `Plan: ${counts}${settled}`, ...limits.map((limit) => `Note: ${limit}`)];
}

const widthOf = (texts: readonly string[]): number =>
  texts.reduce((widest, { length }) => Math.max(widest, Math.min(length, maxLength)), 0); // a call cannot have an argument per row

function changeRow({ action, kind, namespace, name, cause, fields }: PlannedChange) {
  const [text = "", ...others] = action === "change" ? fields.map(fieldText) : [];
  const rest = others.length - maxFields + 1;
  return {
    sign: signs[action],
    kind,
    key: namespace === undefined ? name : `${namespace}/${name}`,
    text,
    more: [...others.slice(0, maxFields - 1), ...(rest > 0 ? [`… and ${rest} more fields`] : [])],
    cause,
  };
}

function fieldText({ path, from, to }: FieldChange): string {
  if (from === undefined && to === undefined) return `${path}: value hidden`;
  return `${path}: ${valueText(from)} → ${valueText(to)}`;
}

function valueText(value: unknown): string {
  const text = value === undefined ? "(absent)" : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
