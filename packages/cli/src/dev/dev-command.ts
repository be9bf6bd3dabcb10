import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { type CommandContext, withExample } from "../command/context.ts";
import { UsageError } from "../command/errors.ts";
import { findProject } from "../project/project.ts";
import type { WantedRecording } from "./program-env.ts";

interface DevFlags {
  readonly cluster: string;
  readonly webhooks: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly host?: string;
  readonly inspect?: string | true;
  readonly console: string;
  readonly record?: string;
  readonly redact: readonly string[];
}

export function addDev(program: Command, context: CommandContext): void {
  const collect = (value: string, former: readonly string[]): string[] => [...former, value];
  const command = program
    .command("dev")
    .description("run the program against a cluster and restart it on each save")
    .option(
      "--cluster <which>",
      "cluster to use: embedded (a built-in control plane) or current (the kubeconfig's current context)",
      "embedded",
    )
    .option("--context <name>", "name of the current context, as confirmation; required unless the cluster is local")
    .option("--kubeconfig <file>", "kubeconfig file (default: the one kubectl uses)")
    .option("--webhooks <where>", "where webhooks run: local (the API server calls this machine) or off", "local")
    .option("--host <name>", "host name or address at which the API server reaches this machine (default: detected)")
    .option("--console <port>", "console port on 127.0.0.1 (a free port if it is taken), or off", "8090")
    .option("--inspect [address]", "allow a debugger to attach to the program")
    .option("--record <file>", "record reconciles to this .kwr file, for kubewright replay")
    .addOption(
      new Option("--redact <path>", "field to hide in the recording, such as spec.password; repeatable")
        .argParser(collect)
        .default([], "none"),
    )
    .argument("[flags...]", "flags for the program, after --")
    .action((args: string[], flags: DevFlags) => context.run((signal) => dev(context, { ...flags, args }, signal)));
  withExample(command, "npx kubewright dev -- --log-level debug");
}

interface DevWords extends DevFlags {
  /** Arguments of the program. */
  readonly args: readonly string[];
}

async function dev(context: CommandContext, flags: DevWords, signal: AbortSignal): Promise<number> {
  const { io, cwd } = context;
  const { cluster: which, webhooks, host, inspect, console, args } = flags;
  requireOneOf("cluster", which, ["embedded", "current"]);
  requireOneOf("webhooks", webhooks, ["local", "off"]);
  if (console !== "off" && !(/^[0-9]{1,5}$/.test(console) && Number(console) <= 65_535))
    throw new UsageError(`--console ${JSON.stringify(console)}: must be off, or a port from 0 to 65535`);
  for (const name of ["context", "kubeconfig"] as const)
    if (flags[name] !== undefined && which !== "current") throw new UsageError(`--${name} requires --cluster current`);
  const project = findProject(cwd);
  const record = recordingOf(cwd, flags);
  const [{ embeddedCluster, ownCluster }, { DevSession }, { Saves }] = await Promise.all([
    import("./dev-cluster.ts"),
    import("./dev-session.ts"),
    import("./saves.ts"),
  ]);
  const folder = mkdtempSync(join(tmpdir(), "kubewright-dev-"));
  try {
    using saves = new Saves(join(project.root, "src"), signal);
    await using cluster = await (which === "embedded"
      ? embeddedCluster(context, project.root)
      : ownCluster(context, flags, folder));
    await using session = new DevSession({
      ...{ project, cluster, io, folder, args },
      webhooks: webhooks === "local" ? { host } : undefined,
      inspect: inspect === true ? "" : inspect,
      console: console === "off" ? undefined : console,
      record,
    });
    do await session.update(signal);
    while (await saves.next());
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requireOneOf(flag: string, value: string, words: readonly string[]): void {
  if (!words.includes(value)) throw new UsageError(`--${flag} ${JSON.stringify(value)}: must be ${words.join(" or ")}`);
}

/** Creates the file of the recording. @throws {UsageError} if it cannot be created, or a path to redact is not valid */
function recordingOf(cwd: string, { record, redact }: DevFlags): WantedRecording | undefined {
  if (record === undefined) {
    if (redact.length > 0) throw new UsageError("--redact requires --record");
    return undefined;
  }
  if (!record.endsWith(".kwr")) throw new UsageError(`--record ${JSON.stringify(record)}: the name must end in .kwr`);
  const bad = redact.find((path) => path.split(".").includes(""));
  if (bad !== undefined)
    throw new UsageError(`--redact ${JSON.stringify(bad)} is not a field path; use a path such as spec.password`);
  const file = resolve(cwd, record);
  try {
    writeFileSync(file, "", { mode: 0o600 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--record ${JSON.stringify(record)}: ${reason}`, { cause });
  }
  return { file, redact };
}
