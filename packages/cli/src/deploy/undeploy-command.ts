import { ignoreNotFound, isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { applyManifests, nameOf } from "@kubewright/client/apply";
import { CustomResourceDefinition, Namespace, Secret } from "@kubewright/client/kinds";
import type { Command } from "commander";
import { withClient } from "../cluster/connect.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { Report } from "../command/report.ts";
import { describeProgram } from "../generate/describe-program.ts";
import { refuseObjects } from "../install/install-command.ts";
import { findProject } from "../project/project.ts";
import { deploymentSet, isCreatedFor } from "./deployment-set.ts";
import { namespaceFrom } from "./program-manifests.ts";

interface UndeployFlags extends ClusterFlags {
  readonly namespace?: string;
  readonly dryRun?: true;
  readonly crds?: true;
  readonly deleteObjects?: true;
}

export function addUndeploy(program: Command, context: CommandContext): void {
  const command = program
    .command("undeploy")
    .description("delete what deploy applied; definitions stay, and with them their objects")
    .option("-n, --namespace <name>", "where it runs; default: the program's name and -system")
    .option("--crds", "definitions, too; refuses while there are objects")
    .option("--delete-objects", "objects of the program's kinds go with definitions and namespace")
    .option("--dry-run", "the server validates and deletes nothing")
    .action((flags: UndeployFlags) => context.run((signal) => run(context, flags, signal)));
  withExample(withClusterFlags(command), "npx kubewright undeploy --dry-run");
}

async function run(context: CommandContext, flags: UndeployFlags, signal: AbortSignal): Promise<number> {
  const { io, cwd } = context;
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
    const report = new Report<{ outcome: string; name: string; reason?: string }>(io, flags);
    const deleted = (name: string): void =>
      report.add({ outcome: "deleted", name }, `${name} deleted${flags.dryRun ? " (dry run)" : ""}`);
    const definitions = await definitionsThere(client, names);
    const hasNamespace = await isCreatedFor(client, program.name, namespace);
    if (!flags.deleteObjects && (flags.crds || hasNamespace))
      await refuseObjects(client, definitions, flags.crds ? undefined : namespace);
    const code = await deleteSet(client, program.name, namespace, { ...flags, signal, deleted, report });
    if (code !== 0) {
      report.end();
      return code;
    }
    const options = { dryRun: flags.dryRun, signal };
    for (const object of flags.crds ? definitions : []) {
      await client.delete(CustomResourceDefinition, { name: object.metadata.name }, options);
      deleted(nameOf(object));
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
  readonly report: Report<{ outcome: string; name: string; reason?: string }>;
}

/** An applyset of which nothing is applied any more. */
async function deleteSet(
  client: Client,
  program: string,
  namespace: string,
  { dryRun, signal, deleted, report }: DeleteSetOptions,
): Promise<number> {
  const set = deploymentSet(program, namespace);
  if (!(await client.get(Secret, set).catch(ignoreNotFound))) {
    const reason = `there is nothing of ${program} in ${namespace}`;
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
  // As long as something is left it is the only thing that knows of it.
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
