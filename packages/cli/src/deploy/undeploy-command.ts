import { ignoreNotFound, isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { applyManifests, nameOf } from "@kubewright/client/apply";
import { CustomResourceDefinition, Namespace, Secret } from "@kubewright/client/kinds";
import type { Command } from "commander";
import { withClient } from "../cluster/connect.ts";
import { deadConversions, endConversion, refuseDead } from "../cluster/dead-conversion.ts";
import { notGone } from "../cluster/definitions-gone.ts";
import { timeoutMsOf } from "../cluster/timeout.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { CommandError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { describeProgram } from "../generate/describe-program.ts";
import { conversionEnded, refuseObjects } from "../install/install-command.ts";
import { findProject } from "../project/project.ts";
import { deploymentSet, isCreatedFor } from "./deployment-set.ts";
import { namespaceFrom } from "./program-manifests.ts";
import { unconvertedText, unconvertedWithout } from "./unconverted.ts";

const late =
  "is still being deleted, because its objects are waiting for finalizers. The program may have to remove them and is still running: check its log, run kubewright doctor, and undeploy again, or skip the cleanup with --force";

const lateAlone =
  "is still being deleted, because its objects are waiting for finalizers, and the program that would remove them is not deployed. Deploy it again with kubewright deploy; kubewright doctor lists the finalizers";

interface UndeployFlags extends ClusterFlags {
  readonly namespace?: string;
  readonly dryRun?: true;
  readonly crds?: true;
  readonly deleteObjects?: true;
  readonly force?: true;
  readonly timeout: string;
}

interface Item {
  readonly outcome: string;
  readonly name: string;
  readonly reason?: string;
}

export function addUndeploy(program: Command, context: CommandContext): void {
  const command = program
    .command("undeploy")
    .description("delete a deployment, but keep CRDs and custom resources")
    .option("-n, --namespace <name>", "the program's namespace (default: NAME-system)")
    .option("--crds", "also delete the CRDs; requires --delete-objects if objects exist")
    .option("--delete-objects", "also delete all objects of the program's kinds")
    .option("--force", "proceed even if nothing can convert or clean up the remaining objects")
    .option("--timeout <duration>", "maximum time for the program to clean up deleted objects", "120s")
    .option("--dry-run", "have the server validate the deletions without deleting anything")
    .action((flags: UndeployFlags) => context.run((signal) => run(context, flags, signal)));
  withExample(withClusterFlags(command), "npx kubewright undeploy --dry-run");
}

async function run(context: CommandContext, flags: UndeployFlags, signal: AbortSignal): Promise<number> {
  const { io, cwd } = context;
  const timeoutMs = timeoutMsOf(flags.timeout);
  const { root, deployment } = findProject(cwd);
  const place = flags.namespace ?? deployment?.namespace;
  const program = await describeProgram(root, "src/operator.ts", {
    signal,
    err: io.err,
    podNamespace: place,
  });
  const namespace = namespaceFrom(place, program.name);
  const names = [...new Set(program.kinds.map(({ plural, group }) => `${plural}.${group}`))].sort();
  return withClient(context, flags, async (client) => {
    const report = new Report<Item>(io, flags);
    const deleted = (name: string): void =>
      report.add({ outcome: "deleted", name }, `${name} deleted${flags.dryRun ? " (dry run)" : ""}`);
    const definitions = await definitionsThere(client, names);
    const hasNamespace = await isCreatedFor(client, program.name, namespace);
    if (!flags.deleteObjects && (flags.crds || hasNamespace))
      await refuseObjects(client, definitions, flags.crds ? undefined : namespace);
    const isRequested = flags.crds || hasNamespace;
    const dead = isRequested ? await deadConversions(client, definitions, flags.crds ? undefined : namespace) : [];
    // A namespace that contains such objects could not be deleted.
    if (!flags.crds && hasNamespace && !flags.force)
      refuseDead(
        dead,
        "--crds --delete-objects deletes them in every namespace together with their CRD, without converting them",
      );
    const left = flags.crds ? [] : await unconvertedWithout(client, namespace, definitions);
    const stranded = left.filter(({ objects }) => objects !== undefined);
    if (stranded.length > 0 && !flags.force) throw new CommandError(stranded.map(unconvertedText));
    const options = { dryRun: flags.dryRun, signal };
    // CRDs are deleted first, and completely: only a running program converts objects and cleans up after them.
    for (const one of flags.crds ? dead : []) {
      await endConversion(client, one, options);
      report.add({ outcome: "changed", name: one.name }, `${one.name}: ${conversionEnded}`);
    }
    for (const object of flags.crds ? definitions : []) {
      await client.delete(CustomResourceDefinition, { name: object.metadata.name }, options);
      deleted(nameOf(object));
    }
    const set = deploymentSet(program.name, namespace);
    const isAwaited = flags.crds && !flags.dryRun && !flags.force;
    const stuck = isAwaited ? await notGone(client, definitions, timeoutMs, signal) : undefined;
    if (stuck !== undefined) {
      const reason = (await client.get(Secret, set).catch(ignoreNotFound)) ? late : lateAlone;
      report.add({ outcome: "failed", name: stuck, reason }, `${stuck}: ${reason}`, true);
      report.end();
      return 1;
    }
    for (const { name, service } of left) {
      const reason = `without ${service}, its objects cannot be converted; kubewright deploy restores the service`;
      report.add({ outcome: "kept", name, reason }, `${name} is kept: ${reason}`);
    }
    const code = await deleteSet(client, program.name, namespace, { ...flags, signal, deleted, report });
    if (code !== 0) {
      report.end();
      return code;
    }
    if (hasNamespace) {
      await client.delete(Namespace, { name: namespace }, options);
      deleted(`namespace/${namespace}`);
    }
    report.end();
    return 0;
  });
}

interface DeleteSetOptions {
  readonly dryRun?: true;
  readonly signal: AbortSignal;
  readonly deleted: (name: string) => void;
  readonly report: Report<Item>;
}

/** Deletes all objects of the deployment's applyset. */
async function deleteSet(
  client: Client,
  program: string,
  namespace: string,
  { dryRun, signal, deleted, report }: DeleteSetOptions,
): Promise<number> {
  const set = deploymentSet(program, namespace);
  if (!(await client.get(Secret, set).catch(ignoreNotFound))) {
    const reason = `${program} is not deployed in ${namespace}`;
    report.add({ outcome: "skipped", name: program, reason }, reason);
    return 0;
  }
  let code = 0;
  for await (const { outcome, name, reason } of applyManifests(client, [], { prune: set, dryRun, signal })) {
    if (outcome === "pruned") deleted(name);
    if (outcome !== "failed") continue;
    code = 1;
    report.add({ outcome, name, reason: reason ?? "" }, `${name}: ${reason}`, true);
  }
  // The Secret is the only record of objects that could not be deleted. It stays until all of them are gone.
  if (code === 0) await client.delete(Secret, set, { dryRun, signal }).catch(ignoreNotFound);
  return code;
}

async function definitionsThere(client: Client, names: readonly string[]): Promise<CustomResourceDefinition[]> {
  const there: CustomResourceDefinition[] = [];
  for (const name of names)
    try {
      there.push(await client.get(CustomResourceDefinition, { name }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  return there;
}
