import { isNotFound, type Unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type Manifests, nameOf, parseManifests } from "@kubewright/client/apply";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import type { Command } from "commander";
import { type AppliedItem, applyObjects } from "../cluster/apply-objects.ts";
import { withClient } from "../cluster/connect.ts";
import { objectsOf } from "../cluster/objects-of.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { NotSoError, UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { generate } from "../generate/generate.ts";
import { findProject } from "../project/project.ts";

interface InstallFlags extends ClusterFlags {
  readonly dryRun?: true;
}
interface UninstallFlags extends InstallFlags {
  readonly deleteObjects?: true;
}

export function addInstall(program: Command, context: CommandContext): void {
  const install = program
    .command("install")
    .description("apply the project's definitions to a cluster, and wait until they are served")
    .option("--dry-run", "the server validates and stores nothing")
    .action((flags: InstallFlags) => context.run((signal) => runInstall(context, flags, signal)));
  withExample(withClusterFlags(install), "npx kubewright install --dry-run");
  const uninstall = program
    .command("uninstall")
    .description("delete the project's definitions from a cluster; refuses while there are objects")
    .option("--dry-run", "the server validates and deletes nothing")
    .option("--delete-objects", "their objects go with them")
    .action((flags: UninstallFlags) => context.run((signal) => runUninstall(context, flags, signal)));
  withExample(withClusterFlags(uninstall), "npx kubewright uninstall --dry-run");
}

/** The definitions as the program has them, whatever config/ says. */
async function definitions({ io, cwd }: CommandContext, signal: AbortSignal): Promise<Manifests> {
  const project = findProject(cwd);
  const { files } = await generate(project, { output: "crd", signal, err: io.err });
  const parts = files
    .filter(({ path }) => path.startsWith("config/crd/bases/"))
    .map(({ path, text }) => parseManifests(text, path));
  const manifests = parts.flatMap((part) => part.manifests);
  if (manifests.length === 0)
    throw new UsageError("the program has no kinds of its own: kubewright create api makes one");
  return { manifests, unreadable: parts.flatMap((part) => part.unreadable) };
}

async function runInstall(context: CommandContext, flags: InstallFlags, signal: AbortSignal): Promise<number> {
  const manifests = await definitions(context, signal);
  return withClient(context, flags, async (client) => {
    const report = new Report<AppliedItem>(context.io, flags);
    // Nobody but the project says what its definitions are.
    const code = await applyObjects(client, manifests, { dryRun: flags.dryRun, force: true, signal }, report);
    report.end();
    return code;
  });
}

async function runUninstall(context: CommandContext, flags: UninstallFlags, signal: AbortSignal): Promise<number> {
  const { manifests } = await definitions(context, signal);
  return withClient(context, flags, async (client) => {
    const present = await presentOf(
      client,
      manifests.map(({ object }) => object),
    );
    if (!flags.deleteObjects) await refuseObjects(client, present);
    const report = new Report<{ outcome: string; name: string }>(context.io, flags);
    for (const object of present) {
      const { name } = object.metadata;
      await client.delete(CustomResourceDefinition, { name }, { dryRun: flags.dryRun, signal });
      const line = `${nameOf(object)} deleted${flags.dryRun ? " (dry run)" : ""}`;
      report.add({ outcome: "deleted", name: nameOf(object) }, line);
    }
    report.end();
    return 0;
  });
}

async function presentOf(client: Client, objects: readonly Unstructured[]): Promise<Unstructured[]> {
  const present: Unstructured[] = [];
  for (const object of objects)
    try {
      await client.get(CustomResourceDefinition, object.metadata.name);
      present.push(object);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  return present;
}

/**
 * @param namespace where objects count; default: everywhere
 * @throws {NotSoError} with how many there are of each kind
 */
export async function refuseObjects(
  client: Client,
  crds: readonly { readonly metadata: { readonly name: string } }[],
  namespace?: string,
): Promise<void> {
  const counts: string[] = [];
  for (const { metadata } of crds) {
    const definition = await client.get(CustomResourceDefinition, metadata.name);
    const { count, text } = await objectsOf(client, definition, namespace);
    if (count > 0) counts.push(text);
  }
  if (counts.length > 0)
    throw new NotSoError(
      `there are ${counts.join(", ")}${namespace ? ` in ${namespace}` : ""}: delete them first, or --delete-objects`,
    );
}
