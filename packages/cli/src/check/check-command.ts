import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import { parseManifests, readManifests } from "@kubewright/client/apply";
import { breakingChanges } from "@kubewright/codegen";
import type { Command } from "commander";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { CommandError } from "../command/errors.ts";
import { onOneLine } from "../command/printable.ts";
import { Report } from "../command/report.ts";
import { type Generated, generate } from "../generate/generate.ts";
import { excessText } from "../generate/observed-in.ts";
import { findProject, type Project } from "../project/project.ts";
import { definitionsOfCluster, definitionsOfFiles, definitionsPrinted } from "./definition-changes.ts";
import {
  configurationsOfCluster,
  configurationsOfFiles,
  type FormerWebhook,
  formerWebhooks,
} from "./former-webhooks.ts";
import { rbacDrift } from "./rbac-drift.ts";
import { minorOf, versionItems } from "./version-items.ts";
import { webhookDeadlocks } from "./webhook-deadlocks.ts";

interface CheckFlags extends ClusterFlags {
  readonly against?: string;
  readonly kubernetes?: string;
}

interface Item {
  readonly check: "definition" | "webhook" | "rbac";
  /** Name of the CRD, webhook or role. */
  readonly name: string;
  /** Path of the field; empty for the whole object. */
  readonly path: string;
  readonly message: string;
}

export function addCheck(program: Command, context: CommandContext): void {
  const command = program
    .command("check")
    .description("find breaking changes, webhook deadlocks and RBAC drift")
    .option(
      "--against <what>",
      'manifests to compare with: a file, a folder, or "cluster" for the current cluster (default: config)',
    )
    .option("--kubernetes <version>", "oldest Kubernetes version that must accept the objects, such as 1.30")
    .action((flags: CheckFlags) => context.run((signal) => run(context, flags, signal)));
  withExample(withClusterFlags(command), "npx kubewright check --against config/crd");
}

async function run(context: CommandContext, flags: CheckFlags, signal: AbortSignal): Promise<number> {
  const minor = flags.kubernetes === undefined ? undefined : minorOf(flags.kubernetes);
  const project = findProject(context.cwd);
  const generated = await generate(project, { signal, err: context.io.err });
  const objects = objectsOf(generated);
  const items = [
    ...(await definitionItems(context, project, flags, objects, signal)),
    ...webhookItems(objects),
    ...(minor === undefined ? [] : versionItems(objects, minor)),
    ...(await rbacItems(project, objects, signal)),
  ];
  const former = await formerItems(context, project, flags, generated, signal);
  items.push(...former.filter(({ isProblem }) => isProblem).map(itemOf));
  const report = new Report<Item>(context.io, flags);
  for (const item of items) {
    const { name, path, message } = item;
    report.add(item, `${name}: ${path ? `${path}: ` : ""}${message}`, true);
  }
  const notes = former.filter(({ isProblem }) => !isProblem);
  report.end({ unused: generated.excess, former: notes.map(({ name }) => name) });
  for (const { name, message } of notes) context.io.err(`${onOneLine(`${name}: ${message}`)}\n`);
  for (const one of generated.excess) context.io.err(`${excessText(one)}\n`);
  return items.length > 0 ? 1 : 0;
}

const itemOf = ({ name, message }: FormerWebhook): Item => ({ check: "webhook", name, path: "", message });

async function formerItems(
  context: CommandContext,
  { root }: Project,
  flags: CheckFlags,
  generated: Generated,
  signal: AbortSignal,
): Promise<FormerWebhook[]> {
  const { against } = flags;
  const before =
    against === "cluster"
      ? await configurationsOfCluster(context, flags, generated.program, signal)
      : await configurationsOfFiles(root, against === undefined ? undefined : resolve(context.cwd, against), signal);
  return formerWebhooks(before, objectsOf(generated), generated.program);
}

const objectsOf = ({ files }: Generated): Unstructured[] =>
  files
    .filter(({ path }) => /^config\/(?:crd|rbac|webhook|manager)\/.*(?<!kustomization)\.yaml$/.test(path))
    .flatMap(({ path, text }) => parseManifests(text, path).manifests)
    .map(({ object }) => object);

async function definitionItems(
  context: CommandContext,
  { root }: Project,
  flags: CheckFlags,
  objects: readonly Unstructured[],
  signal: AbortSignal,
): Promise<Item[]> {
  const { against } = flags;
  const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  const next = new Map(crds.map((one) => [one.metadata.name, one]));
  const previous =
    against === undefined
      ? await definitionsPrinted(root, signal)
      : await (against === "cluster"
          ? definitionsOfCluster(context, flags, [...next.keys()], signal)
          : definitionsOfFiles(resolve(context.cwd, against), signal));
  return [...previous].flatMap(([name, before]): Item[] => {
    const now = next.get(name);
    const findings = now
      ? breakingChanges(before, now)
      : [{ path: "", message: "is no longer among the program's CRDs; its objects stay in the cluster" }];
    return findings.map((one) => ({ check: "definition", name, ...one }));
  });
}

function webhookItems(objects: readonly Unstructured[]): Item[] {
  const namespace = objects.find(({ kind }) => kind === "Namespace");
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  const spec = isRecord(deployment?.spec) ? deployment.spec : {};
  const template = isRecord(spec.template) && isRecord(spec.template.metadata) ? spec.template.metadata : {};
  const own = {
    namespace: namespace?.metadata.name ?? "",
    namespaceLabels: namespace?.metadata.labels ?? {},
    podLabels: Object.fromEntries(
      Object.entries(isRecord(template.labels) ? template.labels : {}).map(([label, value]) => [label, String(value)]),
    ),
  };
  const configurations = objects.filter(({ kind }) => kind.endsWith("WebhookConfiguration"));
  return webhookDeadlocks(configurations, own).map((one) => ({ check: "webhook", path: "", ...one }));
}

async function rbacItems({ root }: Project, objects: readonly Unstructured[], signal: AbortSignal): Promise<Item[]> {
  const place = join(root, "config/rbac");
  const account = objects.find(({ kind }) => kind === "ServiceAccount")?.metadata;
  const name = "config/rbac";
  if (!existsSync(place) || !account?.namespace)
    return [{ check: "rbac", name, path: "", message: "does not exist; run kubewright generate" }];
  const { manifests, unreadable } = await readManifests({ files: [place], recursive: true }, { signal });
  const [bad] = unreadable.filter(({ source }) => !/kustomization\.ya?ml$|observed\.json$/.test(source));
  if (bad) throw new CommandError(`${bad.source}: ${bad.error.message}`, { cause: bad.error });
  const present = manifests.map(({ object }) => object);
  const { missing, excess } = rbacDrift(objects, present, { name: account.name, namespace: account.namespace });
  return [
    ...missing.map((one): Item => ({ check: "rbac", name, path: one, message: "is missing; run kubewright generate" })),
    ...excess.map((one): Item => {
      const message = "is not used by the program; remove it, or declare it with needs if the program needs it";
      return { check: "rbac", name, path: one, message };
    }),
  ];
}
