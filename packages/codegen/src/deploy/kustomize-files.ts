import type { ProgramDescription } from "@kubewright/rbac";
import type { GeneratedFile } from "../kinds/kind-files.ts";
import { yamlText } from "../text/yaml.ts";
import { type ManifestOptions, manifestsOf } from "./manifests.ts";

/**
 * Options for the manifests (namespace, image, replicas, roles), and the files to list in the kustomization in
 * `samples`.
 */
export interface KustomizeOptions extends ManifestOptions {
  /** Files that the kustomization in `samples` lists. This function does not write them. Default: none. */
  readonly samples?: readonly string[] | undefined;
}

/** Folders that `default` includes. It does not include monitors, because they require the Prometheus operator. */
const inDefault = ["crd", "rbac", "manager", "webhook", "network-policy"];

/**
 * Returns a program's manifests as kustomize folders, relative to `config`: `crd`, `rbac`, `webhook`, `manager`,
 * `default`, `prometheus`, `network-policy` and `samples`. Names and namespaces are complete; each folder can be
 * applied on its own.
 *
 * @throws {RefusedDefinitionError} if the judge rejects a CRD
 * @see kubebuilder scaffolds of config
 */
export function kustomizeFiles(description: ProgramDescription, options: KustomizeOptions = {}): GeneratedFile[] {
  const manifests = manifestsOf(description, options);
  const { samples = [] } = options;
  const folders = Map.groupBy(manifests.keys(), (path) => path.slice(0, path.indexOf("/")));
  const resourcesOf = (folder: string): string[] =>
    (folders.get(folder) ?? []).map((path) => path.slice(folder.length + 1)).sort();
  const taken = inDefault.filter((folder) => folders.has(folder)).map((folder) => `../${folder}`);
  const others = [...folders.keys()].filter((folder) => folder !== "default");
  return [
    ...[...manifests].map(([path, objects]) => ({ path, text: yamlText(objects) })),
    ...others.map((folder) => kustomization(folder, resourcesOf(folder))),
    defaultKustomization([...taken, ...resourcesOf("default")], folders),
    ...(samples.length > 0 ? [kustomization("samples", samples.toSorted(), "Kustomization")] : []),
  ];
}

/** Returns the kustomization of `default`, with comments on the parts that depend on the cluster. */
function defaultKustomization(resources: readonly string[], folders: ReadonlyMap<string, unknown>): GeneratedFile {
  const { path, text } = kustomization("default", resources);
  const policies = `  # ../network-policy opens the ports of the webhooks and the metrics to all pods, and closes others.
  # To admit fewer callers, patch spec.ingress in an overlay.
`;
  const monitor = `  # The ServiceMonitor and alerts need the Prometheus operator. Add them to an overlay's resources:
  #  - ../../prometheus
`;
  const comments = [folders.has("network-policy") ? policies : "", folders.has("prometheus") ? monitor : ""];
  return { path, text: `${text}${comments.join("")}` };
}

/**
 * Returns a kustomization that lists files.
 *
 * @param name file name. For samples, it is `Kustomization`: `kubectl apply -k` finds this name and `kubectl apply -f` ignores it, so
 *   that both commands work.
 */
function kustomization(folder: string, resources: readonly string[], name = "kustomization.yaml"): GeneratedFile {
  const object = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources };
  return { path: `${folder}/${name}`, text: yamlText([object]) };
}
