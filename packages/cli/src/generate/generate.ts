import { definedBy, sampleOf } from "@kubewright/apimachinery";
import { crdText, type DescribedKind, rbacFiles, rbacOf, referenceText } from "@kubewright/codegen";
import { NotSoError } from "../command/errors.ts";
import type { TextFile } from "../project/files.ts";
import { fileNameOf } from "../project/names.ts";
import type { Project } from "../project/project.ts";
import { type DescribedProgram, type DescribeOptions, describeProgram } from "./describe-program.ts";
import { judge } from "./judge.ts";
import { kustomization, manifestText } from "./manifest-text.ts";
import { observedIn } from "./observed-in.ts";

/** What can be asked for. */
export const outputs = ["crd", "rbac", "webhook", "docs"] as const;
export type Output = (typeof outputs)[number];

export interface GenerateOptions extends DescribeOptions {
  /** Default: all. */
  readonly output?: Output | undefined;
  /** Default `src/operator.ts`. */
  readonly entry?: string | undefined;
  /** Where manifests go. Default `config`. */
  readonly out?: string | undefined;
}

export interface Generated {
  /** Files that are as the program is; what is else in their folders is stale. */
  readonly files: readonly TextFile[];
  /** Folders whose files are all of them generated. */
  readonly folders: readonly string[];
  /** Files to start from, which are the user's once they are there. */
  readonly samples: readonly TextFile[];
  /** What the program declares that no recorded test has used, such as `get secrets`. */
  readonly excess: readonly string[];
}

/** Everything that is printed from a program. @throws {NotSoError} if the program cannot be described, or a definition is refused */
export async function generate(project: Project, options: GenerateOptions): Promise<Generated> {
  const { output, entry = "src/operator.ts", out = "config" } = options;
  const program = await describeProgram(project.root, entry, options);
  const wants = (one: Output): boolean => output === undefined || output === one;
  const kinds = wholeKinds(program);
  const observed = wants("rbac") ? observedIn(project.root, out) : undefined;
  const parts: { readonly folder: string; readonly files: readonly TextFile[] }[] = [
    ...(wants("crd") ? [{ folder: `${out}/crd`, files: crdFiles(kinds) }] : []),
    ...(wants("rbac") ? [{ folder: `${out}/rbac`, files: rbacFiles(program, { observed }) }] : []),
    ...(wants("webhook") ? [{ folder: `${out}/webhook`, files: webhookFiles(program) }] : []),
    ...(wants("docs") ? [{ folder: "docs/reference", files: docFiles(kinds) }] : []),
  ];
  return {
    files: parts.flatMap(({ folder, files }) => files.map(({ path, text }) => ({ path: `${folder}/${path}`, text }))),
    folders: parts.map(({ folder }) => folder),
    samples: wants("crd") ? sampleFiles(kinds, out) : [],
    excess: wants("rbac") ? rbacOf(program, { observed }).excess : [],
  };
}

/** Those with a conversion have their other versions, and where they are converted, from the webhooks' manifests. */
function wholeKinds({ kinds, webhookConfigurations }: DescribedProgram): DescribedKind[] {
  const converted = new Map(
    webhookConfigurations
      .filter((one) => "kind" in one && one.kind === "CustomResourceDefinition")
      .map((crd) => [definedBy(crd).crd.metadata.name, crd] as const),
  );
  const whole = new Map<string, DescribedKind>();
  for (const kind of kinds) {
    const name = `${kind.plural}.${kind.group}`;
    const known = whole.get(name);
    if (known && known.kind !== kind.kind)
      throw new NotSoError(`${name}: is the plural of both ${known.kind} and ${kind.kind}: give one of them another`);
    whole.set(name, known ?? { ...kind, crd: converted.get(name) ?? kind.crd });
  }
  return [...whole.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

/** The program's definitions. @throws {NotSoError} if two are of one name, or the API server would refuse one */
export const definitionFiles = (program: DescribedProgram): TextFile[] => crdFiles(wholeKinds(program));

function crdFiles(kinds: readonly DescribedKind[]): TextFile[] {
  const files = kinds.map(({ crd, group, plural }) => ({
    path: `${group}_${plural}.yaml`,
    text: crdText(crd, { judge }),
  }));
  return [...files, kustomization(files.map(({ path }) => path))];
}

function webhookFiles({ webhookConfigurations }: DescribedProgram): TextFile[] {
  const configurations = webhookConfigurations.filter(
    (one) => "kind" in one && typeof one.kind === "string" && one.kind.endsWith("WebhookConfiguration"),
  );
  if (configurations.length === 0) return [];
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "webhook-service", namespace: "system" },
    spec: {
      ports: [{ port: 443, protocol: "TCP", targetPort: 9443 }],
      selector: { "control-plane": "controller-manager" },
    },
  };
  return [
    { path: "manifests.yaml", text: manifestText(configurations) },
    { path: "service.yaml", text: manifestText([service]) },
    kustomization(["manifests.yaml", "service.yaml"]),
  ];
}

const docFiles = (kinds: readonly DescribedKind[]): TextFile[] =>
  kinds.map(({ crd, kind }) => ({ path: `${fileNameOf(kind)}.md`, text: referenceText(crd) }));

function sampleFiles(kinds: readonly DescribedKind[], out: string): TextFile[] {
  return kinds.map(({ crd, group, version, kind, scope }) => {
    const { apiVersion, kind: _kind, metadata, ...rest } = sampleOf(definedBy(crd, version));
    const placed = scope === "Namespaced" ? { ...metadata, namespace: "default" } : metadata;
    const [first = group] = group.split(".");
    const path = `${out}/samples/${first}_${version}_${fileNameOf(kind).replaceAll("-", "_")}.yaml`;
    return { path, text: manifestText([{ apiVersion, kind, metadata: placed, ...rest }], "") };
  });
}
