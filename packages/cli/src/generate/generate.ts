import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { judgeDefinition } from "@kubewright/apiextensions";
import { definedBy, sampleOf } from "@kubewright/apimachinery";
import {
  crdText,
  dashboardFiles,
  type GeneratedFile,
  helmChart,
  kustomizeFiles,
  referenceText,
} from "@kubewright/codegen";
import { type DescribedKind, rbacOf } from "@kubewright/rbac";
import { CommandError } from "../command/errors.ts";
import type { TextFile } from "../project/files.ts";
import { fileNameOf } from "../project/names.ts";
import type { Project } from "../project/project.ts";
import { type DescribedProgram, describeProgram } from "./describe-program.ts";
import { observedIn } from "./observed-in.ts";
import type { QueryOptions } from "./query-program.ts";
import { sampleText } from "./sample-text.ts";

/** The outputs that can be selected. */
export const outputs = ["crd", "rbac", "webhook", "docs", "dashboards", "helm"] as const;
export type Output = (typeof outputs)[number];

/** Folders in `config` for each output. Other folders are written only if no output is selected. */
const foldersOf: Readonly<Partial<Record<Output, readonly string[]>>> = {
  crd: ["crd", "samples"],
  rbac: ["rbac"],
  webhook: ["webhook"],
};
const kustomizeFolders = ["crd", "rbac", "webhook", "manager", "default", "prometheus", "network-policy", "samples"];

export interface GenerateOptions extends QueryOptions {
  /** Output to generate. Default: all but the chart. */
  readonly output?: Output | undefined;
  /** Entry module. Default `src/operator.ts`. */
  readonly entry?: string | undefined;
  /** Folder for manifests. Default `config`. */
  readonly out?: string | undefined;
}

export interface Generated {
  /** Program from which the files are generated. */
  readonly program: DescribedProgram;
  /** Generated files. Any other generated file in their folders is stale. */
  readonly files: readonly TextFile[];
  /** Folders that contain only generated files. */
  readonly folders: readonly string[];
  /** Files that are written once and then belong to the user. */
  readonly samples: readonly TextFile[];
  /** Permissions that the program declares but no recorded test has used, such as `get secrets`. */
  readonly excess: readonly string[];
}

/** Generates all files for a program. @throws {CommandError} if the program cannot be described, or the API server would reject a CRD */
export async function generate(project: Project, options: GenerateOptions): Promise<Generated> {
  const { output, entry = "src/operator.ts", out = "config" } = options;
  const program = await describeProgram(project.root, entry, options);
  const wants = (one: Output): boolean => output === one || (output === undefined && one !== "helm");
  const kinds = wholeKinds(program);
  const folders = output === undefined ? kustomizeFolders : (foldersOf[output] ?? []);
  const samples = folders.includes("samples") && !listsSamples(project.root, out) ? sampleFiles(kinds, out) : [];
  const settings = settingsOf(project, program, out);
  const below = (folder: string, files: readonly GeneratedFile[]): TextFile[] =>
    files.map(({ path, text }) => ({ path: `${folder}/${path}`, text }));
  const manifests = kustomizeFiles(program, { ...settings, samples: sampleNames(project.root, out, samples) });
  return {
    program,
    files: [
      ...below(
        out,
        manifests.filter(({ path }) => folders.includes(path.slice(0, path.indexOf("/")))),
      ),
      ...(wants("docs") ? below("docs/reference", docFiles(kinds)) : []),
      ...(wants("dashboards") ? below(`${out}/grafana`, dashboardFiles()) : []),
      ...(wants("helm") ? below(`${out}/chart`, helmChart(program, settings)) : []),
    ],
    folders: [
      ...folders.map((folder) => `${out}/${folder}`),
      ...(wants("docs") ? ["docs/reference"] : []),
      ...(wants("helm") ? [`${out}/chart`] : []),
    ],
    samples,
    excess: wants("rbac") ? rbacOf(program, settings).excess : [],
  };
}

/** Combines the settings in `kubewright.json` with the permissions recorded by tests. */
export function settingsOf(
  { root, deployment = {}, roles, rbac = {} }: Project,
  { leaderElection }: DescribedProgram,
  out = "config",
) {
  const observed = observedIn(root, out);
  const args = deployment.args ?? (leaderElection ? ["--leader-elect"] : []);
  return { ...deployment, ...rbac, args, judge: judgeDefinition, observed, annotations: roles };
}

/**
 * Returns the complete CRDs. For a kind with a conversion, it is the CRD among the webhooks' manifests, because only that one contains all
 * versions and the conversion.
 */
function wholeKinds({ kinds, controllers, webhooks, webhookConfigurations }: DescribedProgram): DescribedKind[] {
  const converted = new Map(
    webhookConfigurations
      .filter((one) => "kind" in one && one.kind === "CustomResourceDefinition")
      .map((crd) => [definedBy(crd).crd.metadata.name, crd] as const),
  );
  const whole = new Map<string, DescribedKind>();
  for (const kind of kinds) {
    const name = `${kind.plural}.${kind.group}`;
    const named = [...kinds, ...controllers.flatMap((one) => one.for ?? []), ...webhooks.map((one) => one.resource)];
    const other = named.find((one) => `${one.plural}.${one.group}` === name && one.kind !== kind.kind);
    if (other)
      throw new CommandError(
        `${name} is the plural of both ${kind.kind} and ${other.kind}; give one of them a different plural`,
      );
    whole.set(name, { ...kind, crd: converted.get(name) ?? kind.crd });
  }
  return [...whole.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

/** Returns the program's CRDs. @throws {CommandError} if two CRDs have the same name, or the API server would reject one of them */
export const definitionFiles = (program: DescribedProgram): TextFile[] =>
  wholeKinds(program).map(({ crd, group, plural }) => ({
    path: `${group}_${plural}.yaml`,
    text: crdText(crd, { judge: judgeDefinition }),
  }));

const docFiles = (kinds: readonly DescribedKind[]): TextFile[] =>
  kinds.map(({ crd, kind }) => ({ path: `${fileNameOf(kind)}.md`, text: referenceText(crd) }));

function sampleFiles(kinds: readonly DescribedKind[], out: string): TextFile[] {
  return kinds.map(({ crd, group, version, kind, scope }) => {
    const { apiVersion, kind: _kind, metadata, ...rest } = sampleOf(definedBy(crd, version));
    const placed = scope === "Namespaced" ? { ...metadata, namespace: "default" } : metadata;
    const [first = group] = group.split(".");
    const path = `${out}/samples/${first}_${version}_${fileNameOf(kind).replaceAll("-", "_")}.yaml`;
    return { path, text: sampleText({ apiVersion, kind, metadata: placed, ...rest }) };
  });
}

/** Returns true if the user lists samples in a kustomization; all samples then belong to the user. */
const listsSamples = (root: string, out: string): boolean =>
  samplesIn(root, out).some((name) => /^kustomization\./.test(name));

function samplesIn(root: string, out: string): string[] {
  const folder = join(root, out, "samples");
  return existsSync(folder) ? readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)) : [];
}

/** Returns existing samples and those to write; none if the user lists samples. */
function sampleNames(root: string, out: string, samples: readonly TextFile[]): string[] {
  const present = samplesIn(root, out);
  if (listsSamples(root, out)) return [];
  return [...new Set([...present, ...samples.map(({ path }) => path.slice(path.lastIndexOf("/") + 1))])];
}
