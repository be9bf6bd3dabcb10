import { resolve } from "node:path";
import { readManifests } from "@kubewright/client/apply";
import type { Command } from "commander";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { type AppliedItem, applyObjects } from "./apply-objects.ts";
import { withClient } from "./connect.ts";
import { timeoutMsOf } from "./timeout.ts";

interface ApplyFlags extends ClusterFlags {
  readonly filename?: readonly string[];
  readonly kustomize?: readonly string[];
  readonly recursive?: true;
  readonly namespace?: string;
  readonly fieldManager: string;
  readonly forceConflicts?: true;
  readonly applyset?: string;
  readonly prune?: true;
  readonly dryRun?: true;
  readonly wait?: true;
  readonly timeout: string;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export function addApply(program: Command, context: CommandContext): void {
  const command = program
    .command("apply")
    .description("apply manifests server-side, like kubectl apply --server-side")
    .option("-f, --filename <place>", "file, folder or URL, or - for standard input (repeatable)", collect)
    .option("-k, --kustomize <folder>", "folder to build with kubectl kustomize (repeatable)", collect)
    .option("-R, --recursive", "include subfolders")
    .option(
      "-n, --namespace <name>",
      "namespace for objects that do not specify one; objects in other namespaces are rejected",
    )
    .option("--field-manager <name>", "owner of the applied fields", "kubewright")
    .option("--force-conflicts", "take over fields owned by other managers")
    .option("--prune", "delete objects that are in the applyset but no longer in the manifests")
    .option("--applyset <name>", "name of the Secret that records the applied objects")
    .option("--dry-run", "have the server validate the objects without storing them")
    .option("--wait", "wait until the applied objects are ready")
    .option("--timeout <duration>", "maximum time to wait for all objects", "60s")
    .action((flags: ApplyFlags) => context.run((signal) => apply(context, flags, signal)));
  withExample(withClusterFlags(command), "npx kubewright apply -f config/samples --wait");
}

async function apply(context: CommandContext, flags: ApplyFlags, signal: AbortSignal): Promise<number> {
  const { filename = [], kustomize = [] } = flags;
  if (filename.length + kustomize.length === 0)
    throw new UsageError("nothing to apply; pass -f or -k, such as -f config/samples");
  if ((flags.prune === undefined) !== (flags.applyset === undefined))
    throw new UsageError(
      "--prune and --applyset NAME must be used together: the applyset records which objects may be deleted",
    );
  const timeoutMs = timeoutMsOf(flags.timeout);
  const at = (place: string): string =>
    place === "-" || /^https?:\/\//.test(place) ? place : resolve(context.cwd, place);
  const { stdin, env } = context.io;
  const manifests = await readManifests(
    { files: filename.map(at), kustomize: kustomize.map(at), recursive: flags.recursive },
    { signal, env: { ...env }, ...(stdin ? { stdin } : {}) },
  );
  return withClient(context, flags, async (client) => {
    const namespace = flags.namespace ?? client.connection.settings.namespace ?? "default";
    const report = new Report<AppliedItem>(context.io, flags);
    const options = {
      namespace,
      onlyNamespace: flags.namespace !== undefined,
      fieldOwner: flags.fieldManager,
      force: flags.forceConflicts,
      dryRun: flags.dryRun,
      wait: flags.wait,
      timeoutMs,
      signal,
      ...(flags.prune && flags.applyset !== undefined ? { prune: { name: flags.applyset, namespace } } : {}),
    };
    const code = await applyObjects(client, manifests, options, report);
    report.end();
    return code;
  });
}
