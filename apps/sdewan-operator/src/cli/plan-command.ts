import {
  type DefinedKind,
  ignoreNotFound,
  isConflict,
  isForbidden,
  isObjectName,
  isStatusError,
  type KubeObject,
  keyOf,
  type ObjectKey,
} from "@kubewright/apimachinery";
import { Client, Connection, type Reader } from "@kubewright/client";
import { silentLogger } from "@kubewright/log";
import { Command, InvalidArgumentError, Option } from "commander";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { connectTo } from "../cnf/connect.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { masked, oneLine } from "../masking/mask.ts";
import {
  confirmationText,
  type PlannedDeletion,
  type PlannedObject,
  type PlannedWrite,
  type PlanReport,
  planFor,
} from "../plan/plan.ts";
import { PlanInputError, plannedKinds, readPlanFiles } from "../plan/plan-files.ts";
import { systemResolve } from "../resolve/resolve.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { InspectExit, InspectOutput } from "./inspect.ts";
import { connectionOptions, type InspectFlags } from "./inspect-flags.ts";
import { ListedCluster } from "./listed-cluster.ts";
import { confirmChanges, duration } from "./operator-flags.ts";
import { columns, structured } from "./report.ts";
import { UserError } from "./user-error.ts";

/** The command line of `plan`. */
export interface PlanFlags
  extends Pick<InspectFlags, "output" | "kubeconfig" | "cnfScheme" | "cnfPort" | "cnfNamespaces"> {
  readonly filename: readonly string[];
  readonly label: Readonly<Record<string, string>>;
  /** Resources to delete, as `KIND/NAME` or `KIND/NAMESPACE/NAME`. */
  readonly delete: readonly PlannedDeletion[];
  readonly purpose?: string;
  readonly resolve: Readonly<Record<string, string>>;
  /** Time for confirmations, in milliseconds; 0 for no confirmation. */
  readonly confirmChanges: number;
  /** Time for which a stage must be ready, in milliseconds. */
  readonly soak: number;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Options that can be repeated. */
type Lists = "filename" | "label" | "delete" | "resolve";

function collectDeletions(text: string, before: readonly PlannedDeletion[] = []): readonly PlannedDeletion[] {
  const [name = "", ...rest] = text.split("/");
  const kind = plannedKinds.find((each) => each.kind.toLowerCase() === name.toLowerCase());
  const [namespace, of] = rest.length > 1 ? rest : ["default", ...rest];
  if (!kind || rest.length > 2 || !of || !isObjectName(of) || !namespace || !isObjectName(namespace))
    throw new InvalidArgumentError("must be KIND/NAME or KIND/NAMESPACE/NAME, such as FirewallRule/edge/deny.");
  return [...before, { kind, key: keyOf({ metadata: { namespace, name: of } }) }];
}

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
      "Shows what the operator would do if the files were applied, without changing anything. Exits with code 0 if nothing would change, otherwise with 1.",
    )
    .option("-f, --filename <path>", "file or folder with resources (repeatable)", collect)
    .option("-l, --label <key=value>", "plan only resources with this label", collectPairs)
    .option("--delete <kind/name>", "resource to delete, such as FirewallRule/edge/deny (repeatable)", collectDeletions)
    .option(
      "--purpose <purpose>",
      "purpose of the CNF to plan for (default: the purposes of the resources in the files)",
    )
    .option(
      "--resolve <name=address>",
      "address of a host name that composites use (repeatable; default: from the cluster's Services or DNS)",
      collectPairs,
    )
    .addOption(
      new Option(
        "--confirm-changes <duration>",
        "time within which probes must pass after a change; use the same value as the operator",
      )
        .argParser(confirmChanges)
        .default(0, "off"),
    )
    .addOption(
      new Option("--soak <duration>", "time before a change reaches the next stage; use the same value as the operator")
        .argParser(duration)
        .default(60_000, "60s"),
    );
  const given = connectionOptions(parser)
    .parse([...argv], { from: "user" })
    .opts<Omit<PlanFlags, Lists> & Partial<Pick<PlanFlags, Lists>>>();
  const flags: PlanFlags = { filename: [], label: {}, delete: [], resolve: {}, ...given };
  if (flags.filename.length === 0 && flags.purpose === undefined && flags.delete.length === 0)
    throw new UserError("nothing to plan; pass files with -f, a CNF with --purpose, or resources with --delete");
  return flags;
}

/** Prints the changes that the operator would make. */
export async function plan(flags: PlanFlags, { out, err }: InspectOutput): Promise<InspectExit> {
  const { objects, ignored } = await readPlanFiles(flags.filename, flags.label).catch((error: unknown) => {
    throw error instanceof PlanInputError ? new UserError(error.message) : error;
  });
  for (const name of ignored) err(`not part of the plan: ${name}`);
  if (flags.filename.length > 0 && objects.length === 0)
    throw new UserError("the files contain no resources that configure a CNF; check -f and --label");
  const connection = flags.kubeconfig ? Connection.fromKubeConfig(flags.kubeconfig) : Connection.fromDefault();
  const client = new Client({ connection });
  try {
    const { cnfScheme: scheme, cnfPort: port, purpose } = flags;
    const live = new ListedCluster(client);
    for (const text of await notDeleted(live, flags, objects)) err(text);
    const report = await planFor({
      live,
      objects,
      deletions: await existing(live, flags.delete),
      refusalOf: admissionOf(client, err),
      purpose,
      scope: CnfScope.from(flags.cnfNamespaces),
      endpoint: { scheme, port },
      connect: (endpoint) => connectTo(endpoint, silentLogger),
      resolve: (name, signal) => resolved(flags.resolve, name, signal),
      confirmChangesMs: flags.confirmChanges,
      soakMs: flags.soak,
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

/** @throws {UserError} for a resource to delete that does not exist */
async function existing(live: Reader, deletions: readonly PlannedDeletion[]): Promise<readonly PlannedDeletion[]> {
  for (const { kind, key } of deletions)
    if (!(await live.get(kind, key).catch(ignoreNotFound)))
      throw new UserError(`--delete: ${kind.kind} ${key} does not exist; check its namespace`);
  return deletions;
}

const maxNotes = 20;

/** Returns notes about resources that have the labels of `-l` but are not in the files: applying the files does not delete them. */
async function notDeleted(
  live: Reader,
  { label, delete: deletions }: PlanFlags,
  objects: readonly PlannedObject[],
): Promise<readonly string[]> {
  if (Object.keys(label).length === 0) return [];
  const nameOf = (kind: DefinedKind, key: ObjectKey): string => `${kind.kind} ${key}`;
  const known = new Set([
    ...objects.map(({ kind, object }) => nameOf(kind, keyOf(object))),
    ...deletions.map(({ kind, key }) => nameOf(kind, key)),
  ]);
  const notes: string[] = [];
  for (const kind of plannedKinds)
    for (const { metadata } of await live.list<KubeObject>(kind, { labels: label })) {
      const isChild = metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
      const key = keyOf({ metadata });
      if (isChild || known.has(nameOf(kind, key))) continue;
      notes.push(
        `not in the files, but still in the cluster: ${nameOf(kind, key)}; to plan its deletion, add --delete ${kind.kind}/${key}`,
      );
    }
  const more = notes.length - maxNotes;
  return [...notes.slice(0, maxNotes), ...(more > 0 ? [`and ${more} more resources that are not in the files`] : [])];
}

/**
 * Returns a function that sends writes to the API server as dry runs. The API server checks them like any other write
 * (the CEL rules of the definitions, all webhooks, and the user's permissions), but does not store them.
 *
 * @param note called once if the user may not write, so that writes are not checked
 */
function admissionOf(
  client: Client,
  note: (text: string) => void,
): (write: PlannedWrite) => Promise<string | undefined> {
  const dry = client.with({ dryRun: true });
  let isNoted = false;
  return async ({ kind, before, after }) => {
    try {
      if (before && after) await dry.update(kind, after);
      else if (after) await dry.create(kind, after);
      else if (before) await dry.delete(kind, before);
      return undefined;
    } catch (error) {
      if (!isStatusError(error)) throw error;
      if (isConflict(error)) return undefined; // somebody changed the object in the meantime
      const rule: CnfKind | undefined = ruleKinds.find((each) => each.kind === kind);
      const secrets = [before, after].flatMap((object) => (rule && object ? rule.secrets(object) : []));
      const message = masked(error.message, secrets);
      if (!isForbidden(error) || /admission webhook/.test(message)) return message;
      if (!isNoted) note(`not checked by CEL rules or webhooks, because you are not allowed to write: ${message}`);
      isNoted = true;
      return undefined;
    }
  };
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

/** Formats a plan as human-readable text. */
export function planText({ resources, cnfs, problems }: PlanReport): string {
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
      pods.map(({ pod, unreachable, changes, rewrites, restarts, stage, waits = [], confirmation }) => {
        const title = `Pod ${pod} of ${cnf}${stage === undefined ? "" : `, stage ${stage}`}: `;
        if (unreachable !== undefined) return `${title}unreachable: ${unreachable}\n`;
        if (changes.length === 0 && restarts.length === 0) return `${title}no changes\n`;
        const notes = [
          restarts.length > 0 ? restarts.join(", ") : "no restarts",
          ...(rewrites > 0 ? [`${rewrites} more ${rewrites === 1 ? "write" : "writes"} to keep the order`] : []),
        ];
        const rows = changes.map(({ action, path, name, resource = "", message = "", waitsForStage }) => [
          action,
          `${path}/${name}`,
          resource,
          [message, waitsForStage === undefined ? "" : `waits for stage ${waitsForStage}`].filter(Boolean).join("; "),
        ]);
        const lines = [
          ...waits.map(({ message }) => message),
          ...(confirmation ? [confirmationText(confirmation)] : []),
        ];
        const table = columns(["ACTION", "OBJECT", "RESOURCE", "MESSAGE"], rows);
        return `${[`${title}${notes.join(", ")}`, ...lines].map((line) => `${oneLine(line)}\n`).join("")}${table}`;
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
