import { type ProgramDescription, type RbacOptions, rbacOf } from "@kubewright/rbac";
import { checkedDefinition, type Judge } from "../manifest/crd-text.ts";
import { completedRole, completedWebhooks, type Place } from "./completed.ts";
import { type DeploymentOptions, type ManifestObject, ProgramObjects } from "./program-objects.ts";

/** Options for the manifests of a program. */
export interface ManifestOptions extends DeploymentOptions, RbacOptions {
  /** Validates CRDs. Default: no validation. */
  readonly judge?: Judge | undefined;
}

/** Complete objects, keyed by their file's path relative to `config`. */
export type Manifests = ReadonlyMap<string, readonly object[]>;

/** Returns all objects of a program, keyed by file path. @throws {RefusedDefinitionError} if the judge rejects a CRD */
export function manifestsOf(description: ProgramDescription, options: ManifestOptions = {}): Manifests {
  const made = new ProgramObjects(description, options);
  const place: Place = { program: description.name, namespace: made.namespace };
  const completed = (description.webhookConfigurations ?? []).map((one) => completedWebhooks(one, place));
  const configurations = completed.filter((one) => !isDefinition(one));
  const files = new Map<string, readonly object[]>();
  const add = (path: string, ...objects: readonly (object | undefined)[]): void => {
    const there = objects.filter((one) => one !== undefined);
    if (there.length > 0) files.set(path, there);
  };
  for (const { group, plural, crd } of description.kinds) {
    const converted = completed.find((one) => isDefinition(one) && one.metadata.name === `${plural}.${group}`);
    add(`crd/bases/${group}_${plural}.yaml`, checkedDefinition(converted ?? crd, options.judge));
  }
  for (const [path, objects] of rbacOf(description, options).objects)
    add(`rbac/${path}`, ...objects.map((one) => completedRole(one, place)));
  add("manager/manager.yaml", made.ownNamespace, made.deployment);
  add("manager/pod_disruption_budget.yaml", made.disruptionBudget);
  if (description.webhooks.length > 0) {
    add("webhook/manifests.yaml", ...configurations);
    add("webhook/service.yaml", made.webhookService);
    add("webhook/secret.yaml", made.certificateSecret);
  }
  add("default/metrics_service.yaml", made.metricsService);
  add("prometheus/monitor.yaml", made.serviceMonitor);
  add("prometheus/rules.yaml", made.prometheusRule);
  for (const [name, policy] of made.networkPolicies) add(`network-policy/${name}.yaml`, policy);
  return files;
}

const isDefinition = (object: object): object is ManifestObject =>
  "kind" in object && object.kind === "CustomResourceDefinition";
