import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import {
  type ClusterFlags,
  type CommandContext,
  type CommonFlags,
  withClusterFlags,
  withCommonFlags,
  withExample,
} from "../command/context.ts";
import { UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { type ApiKind, apiKinds } from "../generate/api-kinds.ts";
import { generate } from "../generate/generate.ts";
import { barrelFiles } from "../project/barrel.ts";
import { type TextFile, textAt, writeChanged, writeMissing } from "../project/files.ts";
import { fileNameOf, requireFlags } from "../project/names.ts";
import { findProject, type Project } from "../project/project.ts";
import { apiText } from "./api-text.ts";
import { controllerTestText, controllerText, type ImportedKind, importedAs } from "./controller-text.ts";
import { externalControllerTestText, externalControllerText } from "./external-controller-text.ts";
import { externalKind } from "./external-kind.ts";
import { type KindFlags, type KindRequest, kindRequest } from "./kind-request.ts";
import { conversionTestText, conversionText, webhookTestText, webhookText } from "./webhook-text.ts";

interface CreateFlags extends KindFlags, CommonFlags {
  readonly force?: true;
}
interface ApiFlags extends CreateFlags, ClusterFlags {
  readonly resource: boolean;
  readonly controller: boolean;
  readonly external?: string;
}
interface WebhookFlags extends CreateFlags {
  readonly defaulting?: true;
  readonly validation?: true;
  readonly conversion?: true;
  readonly hub?: string;
  readonly spoke?: string;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const withKindFlags = (command: Command): Command =>
  command
    .option("--group <group>", "API group, without the project's domain (required)")
    .option("--version <version>", "API version, such as v1 or v1beta1 (required)")
    .option("--kind <Kind>", "kind in PascalCase (required)");

export function addCreate(program: Command, context: CommandContext): void {
  const create = program.command("create").description("add a kind, a controller or webhooks to the project");
  const api = withKindFlags(create.command("api"))
    .description("add a kind with a controller and a test, and generate config/")
    .option("--plural <name>", "plural name (default: English plural of --kind)")
    .option("--short-name <name>", "short name of the kind (repeatable)", collect)
    .option("--cluster-scoped", "make the kind cluster-scoped")
    .option("--no-resource", "add only the controller, for an existing kind")
    .option("--no-controller", "add only the kind")
    .option("--external <definition>", "existing CRD to use: a file, or the name of a CRD in the cluster")
    .option("--as <Name>", "TypeScript name; requires --external (default: the kind)")
    .option("--force", "overwrite existing files")
    .action((flags: ApiFlags) => context.run((signal) => createApi(context, flags, signal)));
  withExample(withClusterFlags(api), "npx kubewright create api --group shop --version v1 --kind Site");
  const webhook = withKindFlags(create.command("webhook"))
    .description("add webhooks and a test for an existing kind, and generate config/")
    .option("--cluster-scoped", "the kind is cluster-scoped; required for such kinds")
    .option("--defaulting", "add a webhook that sets defaults")
    .option("--validation", "add a webhook that validates objects")
    .option("--conversion", "add a webhook that converts between the --hub and --spoke versions")
    .option("--hub <version>", "hub version (the storage version)")
    .option("--spoke <version>", "spoke version, which is converted to and from the hub version")
    .option("--force", "overwrite existing files")
    .action((flags: WebhookFlags) => context.run((signal) => createWebhook(context, flags, signal)));
  withExample(
    withCommonFlags(webhook),
    "npx kubewright create webhook --group shop --version v1 --kind Site --defaulting --validation",
  );
}

async function createApi(context: CommandContext, flags: ApiFlags, signal: AbortSignal): Promise<number> {
  const project = findProject(context.cwd);
  if (flags.external !== undefined) return createExternal(context, project, flags.external, flags, signal);
  if (flags.as !== undefined) throw new UsageError("--as requires --external; omit the flag");
  const { group, version, kind } = flags;
  requireFlags("create api", { group, version, kind });
  const present = await apiKinds(project.root, { signal, err: context.io.err });
  const named = { ...flags, group: group ?? "", version: version ?? "", kind: kind ?? "" };
  const request = kindRequest(project, present, named);
  if (flags.controller && !request.exists) refuseTheirController(project.root, request.kind);
  if (!flags.resource && !request.exists)
    throw new UsageError(`--no-resource: ${request.path} does not exist; omit the flag to create it`);
  const imported = importedFrom(request);
  const { file } = imported;
  const files: TextFile[] = [
    ...(flags.resource ? [{ path: request.path, text: apiText(request, project.root) }] : []),
    // An existing controller keeps using the version for which it was created.
    ...(flags.controller && request.isFirst
      ? [
          { path: `src/controllers/${file}.ts`, text: controllerText(imported) },
          { path: `src/controllers/${file}.test.ts`, text: controllerTestText(imported) },
        ]
      : []),
  ];
  return written(context, project, files, flags, signal);
}

async function createExternal(
  context: CommandContext,
  project: Project,
  place: string,
  flags: ApiFlags,
  signal: AbortSignal,
): Promise<number> {
  if (!flags.resource)
    throw new UsageError("--no-resource and --external cannot be used together: --external writes the kind's types");
  const { files, imported, definitionPath, sample } = await externalKind(context, project.root, place, flags, signal);
  const { file } = imported;
  const definition = definitionPath.replace(/^src\//, "../");
  const own: TextFile[] = flags.controller
    ? [
        { path: `src/controllers/${file}.ts`, text: externalControllerText(imported) },
        { path: `src/controllers/${file}.test.ts`, text: externalControllerTestText(imported, definition, sample) },
      ]
    : [];
  return written(context, project, own, flags, signal, files);
}

async function createWebhook(context: CommandContext, flags: WebhookFlags, signal: AbortSignal): Promise<number> {
  const project = findProject(context.cwd);
  const { group, kind, defaulting = false, validation = false, conversion = false } = flags;
  const version = flags.version ?? flags.hub;
  requireFlags("create webhook", {
    group,
    version,
    kind,
    ...(conversion ? { hub: flags.hub, spoke: flags.spoke } : {}),
  });
  if (!defaulting && !validation && !conversion)
    throw new UsageError("create webhook: pass at least one of --defaulting, --validation or --conversion");
  const present = await apiKinds(project.root, { signal, err: context.io.err });
  const of = (wanted: string): KindRequest => {
    const named = { ...flags, group: group ?? "", version: wanted, kind: kind ?? "" };
    const request = kindRequest(project, present, named);
    const others = request.versions.length > 0 ? `, only ${request.versions.join(", ")}` : "";
    if (!request.exists)
      throw new UsageError(
        `--kind ${JSON.stringify(kind)} has no version ${request.group}/${wanted}${others}; run kubewright create api --group ${group} --version ${wanted} --kind ${kind}`,
      );
    return request;
  };
  const request = of(version ?? "");
  const file = fileNameOf(request.kind);
  rejectDuplicateFile(present, request.kind, conversion);
  const files: TextFile[] = [];
  if (defaulting || validation) {
    const parts = { defaulting, validation };
    files.push(
      { path: `src/webhooks/${file}.ts`, text: webhookText(importedFrom(request), parts) },
      { path: `src/webhooks/${file}.test.ts`, text: webhookTestText(importedFrom(request), file, parts) },
    );
  }
  if (conversion) {
    const [hub, spoke] = [of(flags.hub ?? ""), of(flags.spoke ?? "")];
    if (hub.version === spoke.version)
      throw new UsageError(`--spoke ${JSON.stringify(spoke.version)} is already the hub; choose a different version`);
    const kinds = {
      kind: request.kind,
      hub: importedFrom(hub),
      spoke: importedFrom(spoke),
      spokeVersion: `${spoke.group}/${spoke.version}`,
    };
    files.push(
      { path: `src/webhooks/${file}-conversion.ts`, text: conversionText(kinds) },
      { path: `src/webhooks/${file}-conversion.test.ts`, text: conversionTestText(kinds, `${file}-conversion`) },
    );
  }
  return written(context, project, files, flags, signal);
}

/** Refuses a kind if a controller of an external kind has the same path, because existing files are not overwritten. */
function refuseTheirController(root: string, kind: string): void {
  const [theirs, path] = [`src/external/${fileNameOf(kind)}.ts`, `src/controllers/${fileNameOf(kind)}.ts`];
  if (textAt(root, theirs) !== undefined && textAt(root, path) !== undefined)
    throw new UsageError(
      `--kind ${JSON.stringify(kind)}: ${path} is already the controller for the kind in ${theirs}; choose a different kind, or pass --no-controller`,
    );
}

/** Refuses file name clashes: the conversion of `Site` and the webhooks of `SiteConversion` need the same file. */
function rejectDuplicateFile(present: readonly ApiKind[], kind: string, conversion: boolean): void {
  const file = fileNameOf(kind);
  const versionsOf = (wanted: string): readonly ApiKind[] => present.filter((one) => fileNameOf(one.kind) === wanted);
  const [own] = conversion ? versionsOf(`${file}-conversion`) : [];
  const [base, second] = versionsOf(file.replace(/-conversion$/, "")).filter((one) => one.kind !== kind);
  const other = own ?? (second ? base : undefined);
  const path = `src/webhooks/${own ? `${file}-conversion` : file}.ts`;
  if (other)
    throw new UsageError(
      `--kind ${JSON.stringify(kind)}: ${path} is needed for ${own ? "the webhooks" : "the conversion"} of ${other.kind} in ${other.path}; rename one of the two kinds`,
    );
}

const importedFrom = ({ kind, exportName, path, scope }: KindRequest): ImportedKind => ({
  kind,
  ...importedAs(exportName),
  module: path.replace(/^src\//, "../"),
  scope,
  file: fileNameOf(kind),
});

/** Formats new files with the project's formatter, if it is installed: the names in a file determine which lines are too long. */
function format(root: string, paths: readonly string[]): void {
  const program = join(root, "node_modules/@biomejs/biome/bin/biome");
  if (paths.length > 0 && existsSync(program))
    spawnSync(process.execPath, [program, "check", "--write", ...paths], { cwd: root, stdio: "ignore" });
}

/** Writes scaffolded files only if they do not exist, but always updates external kinds, barrels and generated manifests. */
async function written(
  context: CommandContext,
  { root, ...project }: Project,
  files: readonly TextFile[],
  flags: CreateFlags,
  signal: AbortSignal,
  others: readonly TextFile[] = [],
): Promise<number> {
  const write = flags.force ? writeChanged : writeMissing;
  const own = write(root, files);
  format(root, own);
  const paths = [...writeChanged(root, others), ...own, ...writeChanged(root, barrelFiles(root))];
  const report = new Report<{ path: string }>(context.io, flags);
  for (const path of paths) report.add({ path }, `  ${path}`);
  const generated = await generate({ ...project, root }, { signal, err: context.io.err });
  for (const path of writeChanged(root, generated.files)) report.add({ path }, `  ${path}`);
  for (const path of writeMissing(root, generated.samples)) report.add({ path }, `  ${path}`);
  report.end();
  return 0;
}
