import type { ProgramDescription } from "@kubewright/rbac";
import { stringify } from "yaml";
import type { GeneratedFile } from "../kinds/kind-files.ts";
import { header, yamlText } from "../text/yaml.ts";
import { type ManifestOptions, manifestsOf } from "./manifests.ts";
import type { ManifestObject } from "./program-objects.ts";

/**
 * Options for the chart's objects, and defaults for its values (image, replicas, resources). The namespace is
 * determined by the Helm release.
 */
export interface ChartOptions extends Omit<ManifestOptions, "namespace"> {
  /** Version of the chart and of the program. Default `0.1.0`. */
  readonly version?: string | undefined;
}

/** Placeholders in the objects, which are replaced with templates. None of them is a valid Kubernetes name. */
const marks = {
  namespace: "kubewright-mark:namespace",
  image: "kubewright-mark:image",
  replicas: "kubewright-mark:replicas",
  resources: "kubewright-mark:resources",
} as const;

const templates: readonly (readonly [mark: string | RegExp, template: string])[] = [
  [marks.namespace, "{{ .Release.Namespace }}"],
  [marks.image, '"{{ .Values.image.repository }}:{{ .Values.image.tag }}"'],
  [marks.replicas, "{{ .Values.replicas }}"],
  [new RegExp(`${marks.resources}`), "{{- toYaml .Values.resources | nindent 12 }}"],
  [/^( *)app\.kubernetes\.io\/managed-by: kustomize$/m, "$1app.kubernetes.io/managed-by: {{ .Release.Service }}"],
];

/** Values of the chart that decide whether a folder or file is included. */
const conditions: Readonly<Record<string, string>> = {
  crd: ".Values.crds.enabled",
  "manager/pod_disruption_budget.yaml": "gt (int .Values.replicas) 1",
  default: ".Values.metrics.enabled",
  prometheus: ".Values.prometheus.enabled",
  "network-policy": ".Values.networkPolicy.enabled",
};

/**
 * Returns the program's Helm chart, with paths relative to the chart's folder. With default values, the chart creates
 * the same objects as the `default` folder from `kustomizeFiles`, except the namespace, which Helm creates. Available
 * values: image, replicas, resources, crds, metrics, prometheus, networkPolicy.
 *
 * @throws {RefusedDefinitionError} if the judge rejects a CRD
 */
export function helmChart(description: ProgramDescription, options: ChartOptions = {}): GeneratedFile[] {
  const { version = "0.1.0", image = "controller:latest", replicas = 1, ...others } = options;
  const { name } = description;
  const colon = image.lastIndexOf(":");
  const hasTag = colon > image.lastIndexOf("/");
  // More than one replica, so that the objects that several replicas need are included.
  const made = { namespace: marks.namespace, image: marks.image, replicas: 2 };
  const manifests = manifestsOf(placedAt(description), { ...others, ...made });
  const files: GeneratedFile[] = [];
  let resources: unknown = {};
  for (const [path, objects] of manifests) {
    const kept = (objects as readonly ManifestObject[]).filter(({ kind }) => kind !== "Namespace");
    const marked = kept.map((object) => {
      if (object.kind !== "Deployment") return object;
      const { container, deployment } = markedDeployment(object);
      resources = container;
      return deployment;
    });
    files.push({ path: `templates/${path}`, text: template(path, yamlText(marked).slice(header.length)) });
  }
  const chart = {
    apiVersion: "v2",
    name,
    description: `Controllers of ${name}`,
    type: "application",
    version,
    appVersion: version,
  };
  const values = {
    image: { repository: hasTag ? image.slice(0, colon) : image, tag: hasTag ? image.slice(colon + 1) : "latest" },
    replicas,
    resources,
    crds: { enabled: true, keep: true },
    metrics: { enabled: true },
    prometheus: { enabled: false },
    networkPolicy: { enabled: true },
  };
  const plain = (value: object): string => header + stringify(value, { lineWidth: 0 });
  return [{ path: "Chart.yaml", text: plain(chart) }, { path: "values.yaml", text: plain(values) }, ...files];
}

/** Moves certificates, leases, caches and permissions from the program's own namespace to the namespace of the release. */
function placedAt(description: ProgramDescription): ProgramDescription {
  const { name, certificates, caches, permissions, leaderElection, sharding } = description;
  const { secret } = certificates ?? {};
  const at = <T extends string | undefined>(namespace: T) =>
    namespace === `${name}-system` ? marks.namespace : namespace;
  return {
    ...description,
    ...(certificates && secret
      ? { certificates: { ...certificates, secret: { ...secret, namespace: at(secret.namespace) } } }
      : {}),
    caches: caches.map((one) => ({ ...one, namespaces: one.namespaces?.map(at) })),
    permissions: permissions.map((one) => ({ ...one, namespace: at(one.namespace) })),
    ...(leaderElection ? { leaderElection: { ...leaderElection, namespace: at(leaderElection.namespace) } } : {}),
    ...(sharding ? { sharding: { ...sharding, namespace: at(sharding.namespace) } } : {}),
  };
}

interface MarkedSpec {
  readonly template: { readonly spec: { readonly containers: readonly { readonly resources?: unknown }[] } };
}

function markedDeployment(object: ManifestObject): {
  readonly container: unknown;
  readonly deployment: ManifestObject;
} {
  const spec = object.spec as MarkedSpec; // `ProgramObjects` created this object
  const { template } = spec;
  const [first] = template.spec.containers;
  const containers = template.spec.containers.map((one) => ({ ...one, resources: marks.resources }));
  const marked = {
    ...spec,
    replicas: marks.replicas,
    template: { ...template, spec: { ...template.spec, containers } },
  };
  return { container: first?.resources ?? {}, deployment: { ...object, spec: marked } };
}

function template(path: string, text: string): string {
  // Escapes text that Helm would treat as a template, for example in a description.
  let filled = text.replaceAll("{{", '{{ "{{" }}');
  for (const [mark, by] of templates)
    filled = filled.replaceAll(mark instanceof RegExp ? new RegExp(mark, "gm") : mark, by);
  const folder = path.slice(0, path.indexOf("/"));
  if (folder === "crd") filled = keptByValue(filled);
  const condition = conditions[path] ?? conditions[folder];
  const body = condition ? `{{- if ${condition} }}\n${filled}{{- end }}\n` : filled;
  return header + body;
}

const policy = "helm.sh/resource-policy";

/**
 * Adds the annotation that keeps a CRD when the release is uninstalled, unless the CRD already has it. A value of the chart controls
 * whether the annotation is added.
 */
function keptByValue(definition: string): string {
  if (new RegExp(`^ {4}"?${policy}"?:`, "m").test(definition)) return definition;
  const line = `    ${policy}: keep\n`;
  return definition.replace(/^metadata:\n( {2}annotations:( \{\})?\n)?/m, (_, own?: string, none?: string) =>
    own && !none
      ? `metadata:\n${own}    {{- if .Values.crds.keep }}\n${line}    {{- end }}\n`
      : `metadata:\n  {{- if .Values.crds.keep }}\n  annotations:\n${line}  {{- end }}\n`,
  );
}
