import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ownMember } from "@kubewright/apimachinery";
import { systemRandom } from "@kubewright/clock";
import type { CheckName } from "@kubewright/simulation";
import type { ProgramSimulationReport, Remembers } from "@kubewright/simulation/foreign";
import { type Command, Option } from "commander";
import { timeoutMsOf } from "../cluster/timeout.ts";
import { type CommandContext, withExample } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { onOneLine } from "../command/printable.ts";
import { describeProgram } from "../generate/describe-program.ts";
import { findProject } from "../project/project.ts";
import { type ClusterSources, kindsOf, readCluster, usualFolders } from "./simulated-cluster.ts";

interface SimulateFlags extends ClusterSources {
  readonly schedules: string;
  readonly seed?: string;
  readonly from: string;
  readonly as?: string;
  readonly controllers?: true;
  readonly remembers: readonly string[];
  readonly without: readonly string[];
  readonly patience: string;
  readonly quiet?: true;
}

/** Program of a project, which exports `setup(manager)`. */
const entry = "src/operator.ts";

const checks: readonly CheckName[] = ["quiet", "idempotent", "history", "deletion", "healing", "clean"];

export function addSimulate(program: Command, context: CommandContext): void {
  const collect = (value: string, former: readonly string[]): string[] => [...former, value];
  const command = program
    .command("simulate")
    .description("find bugs by simulating production faults")
    .option("--schedules <number>", "number of schedules (series of user actions and faults) to run", "20")
    .option("--seed <number>", "seed for the schedules (default: KUBEWRIGHT_SEED, or a random number)")
    .option("--from <number>", "number of the first schedule to run", "0")
    .addOption(
      new Option("--crds <path>", "file or folder with CRDs, roles and sample objects; repeatable")
        .argParser(collect)
        .default([], usualFolders.join(" or ")),
    )
    .option("--kinds <names>", "kinds that simulated users create, such as Site,Zone (default: all kinds in the CRDs)")
    .option("--as <user>", "user that the program runs as, to test its roles (default: an administrator)")
    .option("--controllers", "also run the built-in controllers and a simulated node")
    .addOption(
      new Option(
        "--remembers <what>",
        "kind (such as Secret) or field (such as Backup:status.id) that may depend on earlier states; repeatable",
      )
        .argParser(collect)
        .default([], "none"),
    )
    .addOption(
      new Option(
        "--without <check=reason>",
        `check to skip and the reason, as CHECK=REASON; repeatable; checks: ${checks.join(", ")}`,
      )
        .argParser(collect)
        .default([], "none"),
    )
    .option("--patience <duration>", "maximum time to wait for the program to reach an expected state", "20s")
    .option("--quiet", "print only failures")
    .argument("[command...]", "program and its arguments, after -- (default: the project's src/operator.ts)")
    .action((words: string[], flags: SimulateFlags) =>
      context.run((signal) => simulate(context, words, flags, signal)),
    );
  withExample(command, "npx kubewright simulate --crds config/crd/bases -- ./manager --metrics-bind-address 0");
}

async function simulate(
  context: CommandContext,
  command: readonly string[],
  flags: SimulateFlags,
  signal: AbortSignal,
): Promise<number> {
  const { io } = context;
  const settings: Settings = {
    schedules: numberOf("schedules", flags.schedules),
    from: numberOf("from", flags.from),
    seed: numberOf("seed", flags.seed ?? io.env.KUBEWRIGHT_SEED ?? String(systemRandom.integer(1_000_000))),
    remembers: remembersOf(flags.remembers),
    without: withoutOf(flags.without),
    print: (line) => void (flags.quiet || io.out(`${onOneLine(line)}\n`)),
  };
  if (command.length === 0) return simulateProject(context, flags, settings, signal);
  const patienceMs = timeoutMsOf(flags.patience, "patience");
  if (process.platform === "win32")
    throw new UsageError("simulate -- PROGRAM requires Linux or macOS, because it kills process groups");
  return simulateForeign(context, command, flags, { ...settings, patienceMs }, signal);
}

interface Settings {
  readonly schedules: number;
  readonly from: number;
  readonly seed: number;
  readonly remembers: Remembers;
  readonly without: Partial<Record<CheckName, string>>;
  readonly print: (line: string) => void;
}

/** Simulates the project's program in this process, on a virtual clock. */
async function simulateProject(
  context: CommandContext,
  flags: SimulateFlags,
  settings: Settings,
  signal: AbortSignal,
): Promise<number> {
  const { io, cwd } = context;
  if (flags.as !== undefined) throw new UsageError("--as requires a program after --");
  const { root } = findProject(cwd);
  const program = await describeProgram(root, entry, { signal, err: io.err });
  const own = program.kinds.map(({ crd }) => crd);
  const more = flags.crds.length > 0 ? (await readCluster(context, { crds: flags.crds }, signal)).crds : [];
  const crds = [...more, pathToFileURL(join(root, "src/external"))];
  const { isSimulationError, simulate } = await import("@kubewright/simulation");
  try {
    const { controllers } = flags;
    const kinds = kindsOf(own, flags.kinds);
    await simulate(pathToFileURL(join(root, entry)), { ...settings, kinds, crds, controllers });
    return 0;
  } catch (error) {
    if (!isSimulationError(error)) throw error;
    io.err(`${error.message.split("\n").map(onOneLine).join("\n")}\n`);
    return 1;
  }
}

/** Simulates a program in another process, in real time. */
async function simulateForeign(
  context: CommandContext,
  command: readonly string[],
  flags: SimulateFlags,
  settings: Settings & { readonly patienceMs: number },
  signal: AbortSignal,
): Promise<number> {
  const { io, cwd } = context;
  const { samples, ...cluster } = await readCluster(context, flags, signal);
  const { isProgramStartError, simulateProgram } = await import("@kubewright/simulation/foreign");
  const { print, schedules, seed } = settings;
  const kinds = cluster.kinds.map(({ kind }) => kind).join(", ");
  print(`seed ${seed}: ${schedules} ${schedules === 1 ? "schedule" : "schedules"} of ${kinds}, about 10 s each`);
  try {
    const report = await simulateProgram({
      ...{ ...settings, ...cluster, command, cwd, signal },
      ...{ env: io.env, users: samples, user: flags.as, controllers: flags.controllers },
    });
    const { changed, all, missing } = report.coverage;
    const rest = missing.length > 0 ? `, not ${missing.slice(0, 5).join(", ")}${missing.length > 5 ? ", …" : ""}` : "";
    print(`${report.played} schedules played; users changed ${changed} of ${all} properties${rest}`);
    return report.failure ? failed(context, report, command, flags) : 0;
  } catch (error) {
    if (isProgramStartError(error)) throw new CommandError(error.message.split("\n"), { cause: error });
    if (!signal.aborted) throw error;
    io.err("stopped\n");
    return 1;
  }
}

/** Prints the first failure, and writes it to a file together with what the program printed. */
function failed(
  { io, cwd }: CommandContext,
  { failure, seed }: ProgramSimulationReport,
  command: readonly string[],
  flags: SimulateFlags,
): number {
  if (!failure) return 0;
  const { schedule, story, problems, output } = failure;
  const lines = [
    `schedule ${schedule} of seed ${seed} fails:`,
    ...story.split("\n"),
    ...problems.map((problem) => `✗ ${problem}`),
    `repeat it: ${repetition(seed, schedule, command, flags)}`,
  ];
  const text = `${lines.map(onOneLine).join("\n")}\n`;
  const folder = join(cwd, ".kubewright/simulations");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${seed}-${schedule}.txt`),
    `${text}\nThe program printed at the end:\n${output.join("\n")}\n`,
  );
  io.err(`${text}the program's output: .kubewright/simulations/${seed}-${schedule}.txt\n`);
  return 1;
}

function repetition(seed: number, schedule: number, command: readonly string[], flags: SimulateFlags): string {
  const quoted = (word: string): string => (/^[\w./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
  const repeated = (name: string, values: readonly string[]): string[] => values.flatMap((value) => [name, value]);
  const words = [
    ...["npx", "kubewright", "simulate", "--seed", String(seed), "--from", String(schedule), "--schedules", "1"],
    ...repeated("--crds", flags.crds),
    ...(flags.kinds ? ["--kinds", flags.kinds] : []),
    ...(flags.as ? ["--as", flags.as] : []),
    ...(flags.controllers ? ["--controllers"] : []),
    ...repeated("--remembers", flags.remembers),
    ...repeated("--without", flags.without),
    ...["--", ...command],
  ];
  return words.map(quoted).join(" ");
}

function numberOf(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`--${flag} ${JSON.stringify(text)} is not a number from 0 to 999999999`);
  return Number(text);
}

function remembersOf(values: readonly string[]): Remembers {
  if (values.every((value) => !value.includes(":"))) return values;
  const fields: Record<string, string[]> = {};
  for (const value of values) {
    const [kind = "", path] = value.split(":");
    if (kind === "" || !path)
      throw new UsageError(
        `--remembers ${JSON.stringify(value)} is not KIND:FIELD; use either only kinds, or only fields such as Backup:status.id`,
      );
    fields[kind] = [...(ownMember(fields, kind) ?? []), path];
  }
  return fields;
}

function withoutOf(values: readonly string[]): Partial<Record<CheckName, string>> {
  const pairs = values.map((value): [CheckName, string] => {
    const [name, reason = ""] = value.split(/=(.*)/s);
    const check = checks.find((each) => each === name);
    if (check === undefined)
      throw new UsageError(`--without ${JSON.stringify(value)}: the check must be one of ${checks.join(", ")}`);
    if (reason.trim() === "")
      throw new UsageError(`--without ${name}: add the reason, such as --without ${name}="no watch on Secrets"`);
    return [check, reason];
  });
  return Object.fromEntries(pairs);
}
