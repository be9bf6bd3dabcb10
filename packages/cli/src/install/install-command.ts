import { isNotFound, type Unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type Manifests, nameOf, parseManifests } from "@kubewright/client/apply";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import type { Command } from "commander";
import { type AppliedItem, applyObjects } from "../cluster/apply-objects.ts";
import { withClient } from "../cluster/connect.ts";
import { deadConversions, endConversion, refuseDead, refuseUnserved } from "../cluster/dead-conversion.ts";
import { notGone } from "../cluster/definitions-gone.ts";
import { objectsOf } from "../cluster/objects-of.ts";
import { timeoutMsOf } from "../cluster/timeout.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { generate } from "../generate/generate.ts";
import { findProject } from "../project/project.ts";

interface InstallFlags extends ClusterFlags {
  readonly dryRun?: true;
}
interface UninstallFlags extends InstallFlags {
  readonly deleteObjects?: true;
  readonly timeout: string;
}

export function addInstall(program: Command, context: CommandContext): void {
  const install = program
    .command("install")
    .description("apply the project's CRDs and wait until they are served")
    .option("--dry-run", "have the server validate the objects without storing them")
    .action((flags: InstallFlags) => context.run((signal) => runInstall(context, flags, signal)));
  withExample(withClusterFlags(install), "npx kubewright install --dry-run");
  const uninstall = program
    .command("uninstall")
    .description("delete the project's CRDs unless custom resources exist")
    .option("--dry-run", "have the server validate the deletions without deleting anything")
    .option("--delete-objects", "also delete the objects of these CRDs")
    .option("--timeout <duration>", "maximum time to wait for the finalizers of deleted objects", "120s")
    .action((flags: UninstallFlags) => context.run((signal) => runUninstall(context, flags, signal)));
  withExample(withClusterFlags(uninstall), "npx kubewright uninstall --dry-run");
}

/** Generates the program's CRDs, regardless of the files in `config/`. */
async function definitions({ io, cwd }: CommandContext, signal: AbortSignal): Promise<Manifests> {
  const project = findProject(cwd);
  const { files } = await generate(project, { output: "crd", signal, err: io.err });
  const parts = files
    .filter(({ path }) => path.startsWith("config/crd/bases/"))
    .map(({ path, text }) => parseManifests(text, path));
  const manifests = parts.flatMap((part) => part.manifests);
  if (manifests.length === 0)
    throw new UsageError("the program defines no kinds; run kubewright create api to add one");
  return { manifests, unreadable: parts.flatMap((part) => part.unreadable) };
}

async function runInstall(context: CommandContext, flags: InstallFlags, signal: AbortSignal): Promise<number> {
  const manifests = await definitions(context, signal);
  return withClient(context, flags, async (client) => {
    await refuseUnserved(
      client,
      manifests.manifests,
      "run npx kubewright deploy, which applies them with their conversion webhook",
    );
    const report = new Report<AppliedItem>(context.io, flags);
    // The project is the only owner of its CRDs, so it may take over their fields.
    const code = await applyObjects(client, manifests, { dryRun: flags.dryRun, force: true, signal }, report);
    report.end();
    return code;
  });
}

async function runUninstall(context: CommandContext, flags: UninstallFlags, signal: AbortSignal): Promise<number> {
  const timeoutMs = timeoutMsOf(flags.timeout);
  const { manifests } = await definitions(context, signal);
  return withClient(context, flags, async (client) => {
    const present = await presentOf(
      client,
      manifests.map(({ object }) => object),
    );
    if (!flags.deleteObjects) await refuseObjects(client, present);
    const report = new Report<{ outcome: string; name: string; reason?: string }>(context.io, flags);
    for (const dead of await deadConversions(client, present)) {
      await endConversion(client, dead, { dryRun: flags.dryRun, signal });
      report.add({ outcome: "changed", name: dead.name }, `${dead.name}: ${conversionEnded}`);
    }
    for (const { metadata } of present)
      await client.delete(CustomResourceDefinition, { name: metadata.name }, { dryRun: flags.dryRun, signal });
    const endMs = systemClock.monotonic() + timeoutMs;
    let code = 0;
    for (const object of present) {
      const leftMs = Math.max(endMs - systemClock.monotonic(), 0);
      if (!flags.dryRun && (await notGone(client, [object], leftMs, signal)) !== undefined) {
        code = 1;
        report.add({ outcome: "failed", name: nameOf(object), reason: stuck }, `${nameOf(object)} ${stuck}`, true);
        continue;
      }
      const line = `${nameOf(object)} deleted${flags.dryRun ? " (dry run)" : ""}`;
      report.add({ outcome: "deleted", name: nameOf(object) }, line);
    }
    report.end();
    return code;
  });
}

const stuck =
  "is still being deleted, because its objects are waiting for finalizers; start the program that removes them, run kubewright doctor for details, or set a longer --timeout";

/** Message for a CRD whose objects are being deleted although no webhook converts them. */
export const conversionEnded = "no webhook converts its objects; kubewright set its conversion to None to delete them";

/** Reads the CRDs that exist in the cluster. */
async function presentOf(client: Client, objects: readonly Unstructured[]): Promise<CustomResourceDefinition[]> {
  const present: CustomResourceDefinition[] = [];
  for (const object of objects)
    try {
      present.push(await client.get(CustomResourceDefinition, object.metadata.name));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  return present;
}

/**
 * Throws if CRDs to be deleted still have objects.
 *
 * @param namespace namespace in which to count objects. Default: all
 * @throws {CommandError} with the number of objects of each kind, or the reason why the objects cannot be read
 */
export async function refuseObjects(
  client: Client,
  crds: readonly { readonly metadata: { readonly name: string } }[],
  namespace?: string,
): Promise<void> {
  const counts: string[] = [];
  const definitions = await Promise.all(
    crds.map(({ metadata }) => client.get(CustomResourceDefinition, metadata.name)),
  );
  const together = namespace === undefined ? "" : "--crds and ";
  const dead = await deadConversions(client, definitions, namespace);
  refuseDead(dead, `${together}--delete-objects deletes them together with their CRD, without converting them`);
  for (const definition of definitions) {
    const { count, text } = await objectsOf(client, definition, { namespace });
    if (count > 0) counts.push(text);
  }
  if (counts.length > 0)
    throw new CommandError(
      `there are ${counts.join(", ")}${namespace ? ` in ${namespace}` : ""}; delete them first, or pass --delete-objects`,
    );
}
