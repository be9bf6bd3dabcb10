import { Client, Connection } from "@kubewright/client";
import { silentLogger } from "@kubewright/log";
import { Command, InvalidArgumentError } from "commander";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { connectTo } from "../cnf/connect.ts";
import { type PlanReport, planFor } from "../plan/plan.ts";
import { systemResolve } from "../resolve/resolve.ts";
import type { InspectExit, InspectOutput } from "./inspect.ts";
import { connectionOptions, type InspectFlags } from "./inspect-flags.ts";
import { ListedCluster } from "./listed-cluster.ts";
import { readPlanFiles } from "./plan-files.ts";
import { columns, structured } from "./report.ts";
import { UserError } from "./user-error.ts";

/** The command line of `plan`. */
export interface PlanFlags
  extends Pick<InspectFlags, "output" | "kubeconfig" | "cnfScheme" | "cnfPort" | "cnfNamespaces"> {
  readonly filename: readonly string[];
  readonly label: Readonly<Record<string, string>>;
  readonly purpose?: string;
  readonly resolve: Readonly<Record<string, string>>;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Options that can be repeated. */
type Lists = "filename" | "label" | "resolve";

/** Collects `name=value`, also several separated by commas. */
function collectPairs(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const pairs = text.split(",").map((pair): [string, string] => {
    const [, key, value] = /^([^=]+)=(.*)$/.exec(pair.trim()) ?? [];
    if (key === undefined || value === undefined) throw new InvalidArgumentError("must have the form name=value.");
    return [key, value];
  });
  return { ...before, ...Object.fromEntries(pairs) };
}

/**
 * Parses the arguments after `plan`.
 *
 * @throws {CommanderError} for `--help` and for invalid arguments, after printing the output
 * @throws {UserError} if there is nothing to plan
 */
export function planFlags(argv: readonly string[]): PlanFlags {
  const parser = new Command("sdewan-operator plan")
    .description(
      "Shows what the operator would do if files were applied, and writes nothing. Exits with code 0 if nothing would change, otherwise with 1.",
    )
    .option("-f, --filename <path>", "file or folder with resources; can be repeated (default: none)", collect)
    .option("-l, --label <key=value>", "plan only those resources in the files that have this label", collectPairs)
    .option("--purpose <purpose>", "purpose of the CNF to plan (default: the purposes of the resources in the files)")
    .option(
      "--resolve <name=address>",
      "address of a name in composites (default: from the cluster's Services or DNS)",
      collectPairs,
    );
  const given = connectionOptions(parser)
    .parse([...argv], { from: "user" })
    .opts<Omit<PlanFlags, Lists> & Partial<Pick<PlanFlags, Lists>>>();
  const flags: PlanFlags = { filename: [], label: {}, resolve: {}, ...given };
  if (flags.filename.length === 0 && flags.purpose === undefined)
    throw new UserError("nothing to plan; pass files with -f, or a CNF with --purpose");
  return flags;
}

/** Prints what the operator would do. */
export async function plan(flags: PlanFlags, { out, err }: InspectOutput): Promise<InspectExit> {
  const { objects, ignored } = await readPlanFiles(flags.filename, flags.label);
  for (const name of ignored) err(`not part of the plan: ${name}`);
  if (flags.filename.length > 0 && objects.length === 0)
    throw new UserError("the files contain no resources that configure a CNF; check -f and --label");
  const connection = flags.kubeconfig ? Connection.fromKubeConfig(flags.kubeconfig) : Connection.fromDefault();
  const client = new Client({ connection });
  try {
    const { cnfScheme: scheme, cnfPort: port, purpose } = flags;
    const report = await planFor({
      live: new ListedCluster(client),
      objects,
      purpose,
      scope: CnfScope.from(flags.cnfNamespaces),
      endpoint: { scheme, port },
      connect: (endpoint) => connectTo(endpoint, silentLogger),
      resolve: (name, signal) => resolved(flags.resolve, name, signal),
    });
    out(flags.output === "table" ? planText(report) : structured(report, flags.output));
    const pods = report.cnfs.flatMap((cnf) => cnf.pods);
    if (pods.some(({ unreachable }) => unreachable !== undefined)) return 3;
    const isDifferent =
      report.resources.some(({ action }) => action !== "unchanged") ||
      report.problems.length > 0 ||
      pods.some(({ changes, restarts }) => changes.length > 0 || restarts.length > 0);
    return isDifferent ? 1 : 0;
  } finally {
    await client.close();
    await connection.close();
  }
}

/** Resolves a name. A name that only this machine cannot resolve must not look as if it did not exist. */
async function resolved(known: PlanFlags["resolve"], name: string, signal: AbortSignal): Promise<string[]> {
  const { [name]: address } = known;
  if (address !== undefined) return [address];
  try {
    return await systemResolve(name, signal);
  } catch (cause) {
    throw Object.assign(new Error(`pass --resolve ${name}=<address>`, { cause }), { code: "EAI_AGAIN" });
  }
}

/** Returns a plan as text, for people. */
function planText({ resources, cnfs, problems }: PlanReport): string {
  const changed = resources.filter(({ action }) => action !== "unchanged");
  const parts = [
    ...(changed.length > 0
      ? [
          columns(
            ["ACTION", "RESOURCE"],
            changed.map(({ action, resource }) => [action, resource]),
          ),
        ]
      : []),
    ...cnfs.flatMap(({ cnf, pods }) =>
      pods.map(({ pod, unreachable, changes, rewrites, restarts }) => {
        const title = `Pod ${pod} of ${cnf}: `;
        if (unreachable !== undefined) return `${title}unreachable: ${unreachable}\n`;
        if (changes.length === 0 && restarts.length === 0) return `${title}no changes\n`;
        const notes = [
          restarts.length > 0 ? restarts.join(", ") : "no restarts",
          ...(rewrites > 0 ? [`${rewrites} more ${rewrites === 1 ? "write" : "writes"} to keep the order`] : []),
        ];
        const rows = changes.map(({ action, path, name, resource = "", message = "" }) => [
          action,
          `${path}/${name}`,
          resource,
          message,
        ]);
        return `${title}${notes.join(", ")}\n${columns(["ACTION", "OBJECT", "RESOURCE", "MESSAGE"], rows)}`;
      }),
    ),
    ...(problems.length > 0
      ? [
          columns(
            ["PROBLEM", "RESOURCE", "MESSAGE"],
            problems.map(({ type, resource, message }) => [type, resource, message]),
          ),
        ]
      : []),
  ];
  return parts.join("\n");
}
