import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Recording, RecordingError } from "@kubewright/replay/player";
import type { Command } from "commander";
import { type CommandContext, withExample } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { onOneLine } from "../command/printable.ts";
import { readBytes } from "../project/files.ts";
import { findProject } from "../project/project.ts";

interface ReplayFlags {
  readonly entry: string;
  readonly only?: string;
  readonly inspect?: string | true;
}

/** The child process's report. */
export type ReplayReport =
  | {
      readonly type: "same";
      /** Number of replayed reconciles for each controller. */
      readonly counts: readonly (readonly [controller: string, count: number])[];
      readonly skipped: readonly { readonly label: string; readonly reason: string }[];
    }
  | {
      readonly type: "different";
      readonly label: string;
      /** The difference. Further lines are indented. */
      readonly text: string;
      readonly atMs: number;
      readonly causes: readonly string[];
    }
  /** No reconcile was selected. `labels` contains some labels that can be selected. */
  | { readonly type: "unknown"; readonly labels: readonly string[] }
  | { readonly type: "failed"; readonly message: string; readonly stack: string };

const maxSkippedShown = 5;
/** Maximum length of a line of output, because a recording may contain texts of any length. */
const maxLineLength = 2_000;
/** Maximum size of a recording, in bytes, as for {@link Recording.read}. */
const maxFileBytes = 256 << 20;
const defaultInspect = "9229";

export function addReplay(program: Command, context: CommandContext): void {
  const command = program
    .command("replay")
    .description("replay recorded reconciles with the current code")
    .option(
      "--only <reconcile>",
      "replay only this reconcile, such as site/shop/north#17, or only this object, such as site/shop/north",
    )
    .option("--entry <path>", "module that exports setup(manager)", "src/operator.ts")
    .option("--inspect [address]", "wait for a debugger, then pause in the reconcilers")
    .argument("<file>", "recording written by dev --record or by a manager's recorder")
    .action((file: string, flags: ReplayFlags) => context.run((signal) => replay(context, file, flags, signal)));
  withExample(command, "npx kubewright replay f.kwr --only site/shop/north#17");
}

async function replay(
  { io, cwd }: CommandContext,
  file: string,
  { entry, only = "", inspect }: ReplayFlags,
  signal: AbortSignal,
): Promise<number> {
  const { root } = findProject(cwd);
  const path = resolve(cwd, file);
  if (!existsSync(join(root, entry))) throw new UsageError(`--entry ${JSON.stringify(entry)} does not exist`);
  if (typeof inspect === "string" && !/^(?:.+:)?\d{1,5}$/.test(inspect))
    throw new UsageError(`--inspect ${JSON.stringify(inspect)} is not a port, or a host and a port`);
  checkRecording(path, file);
  const address = inspect === true ? defaultInspect : inspect;
  const report = await childReport({ io, cwd }, [root, entry, path, only, ...(address ? [address] : [])], signal);
  switch (report.type) {
    case "unknown":
      throw new UsageError(
        report.labels.length === 0
          ? `${file} contains no reconciles`
          : shortened(
              `--only ${JSON.stringify(only)}: this reconcile does not exist; ${file} contains ${report.labels.join(", ")}, …`,
            ),
      );
    case "failed":
      throw new CommandError(`${entry} cannot be replayed: ${report.message}${frameIn(report.stack, root)}`);
    case "different": {
      const [first = "", ...more] = report.text.split("\n");
      const time = new Date(report.atMs).toISOString();
      const cause = report.causes.length > 0 ? `, because of ${report.causes.join(", ")}` : "";
      const lines = [`${report.label} ${first}`, ...more, `  recorded at ${time}${cause}`];
      io.err(lines.map((line) => `${shortened(line)}\n`).join(""));
      return 1;
    }
    case "same": {
      const { counts, skipped } = report;
      const shown = skipped.slice(0, maxSkippedShown).map(({ label, reason }) => `  skipped ${label}: ${reason}`);
      if (skipped.length > maxSkippedShown) shown.push(`  skipped ${skipped.length - maxSkippedShown} more`);
      if (counts.length === 0) {
        io.err([...shown, "none of the reconciles can be replayed"].map((line) => `${shortened(line)}\n`).join(""));
        return 1;
      }
      const total = counts.reduce((sum, [, count]) => sum + count, 0);
      const by = counts.map(([controller, count]) => `${controller} ${count}`).join(", ");
      const text = `${total === 1 ? "1 reconcile behaves" : `${total} reconciles behave`} as recorded (${by})`;
      io.out([text, ...shown].map((line) => `${shortened(line)}\n`).join(""));
      return 0;
    }
  }
}

const shortened = (line: string): string =>
  onOneLine(line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line);

/** Checks the file before a process is started for it. @throws {UsageError} if it cannot be read */
function checkRecording(path: string, file: string): void {
  try {
    Recording.read(readBytes(path, maxFileBytes));
  } catch (error) {
    if (error instanceof CommandError) throw new UsageError(error.message, { cause: error });
    if (error instanceof RecordingError) throw new UsageError(`${file}: ${error.message}`, { cause: error });
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isMissing) throw new UsageError(`${file} does not exist`, { cause: error });
    throw error;
  }
}

/** Runs the program in a child process, whose output goes to standard error. */
async function childReport(
  { io, cwd }: Pick<CommandContext, "io" | "cwd">,
  words: readonly string[],
  signal: AbortSignal,
): Promise<ReplayReport> {
  const own = import.meta.url;
  const isSource = own.endsWith(".ts");
  const child = fork(fileURLToPath(new URL(isSource ? "replay-child.ts" : "replay-child.js", own)), words, {
    cwd,
    env: { ...process.env, ...io.env },
    execArgv: isSource ? ["--conditions=@kubewright/source"] : [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    signal,
  });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", io.err);
  const { promise, resolve: report, reject } = Promise.withResolvers<ReplayReport>();
  child.once("message", (message) => report(message as ReplayReport)); // from our own module
  child.once("error", reject);
  child.once("exit", (code) => reject(new CommandError(`the program ended the replay with exit code ${code}`)));
  return promise;
}

/** Returns the first frame of a stack in the project's own code, for a message. */
function frameIn(stack: string, root: string): string {
  const frames = stack.split("\n").filter((line) => line.includes(root) && !line.includes("/node_modules/"));
  return frames[0] === undefined ? "" : ` (${frames[0].trim()})`;
}
