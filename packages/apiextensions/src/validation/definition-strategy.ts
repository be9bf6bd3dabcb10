import { isRecord } from "@kubewright/apimachinery";
import type { KindStrategy } from "@kubewright/apiserver/registry";
import { createdAtColumn, nameColumn } from "@kubewright/apiserver/registry";
import { rfc3339 } from "@kubewright/clock";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import { validateDefinition, validateDefinitionUpdate } from "./definition-validation.ts";

const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

const namesOf = ({ spec }: Partial<CustomResourceDefinition>): CustomResourceDefinition["spec"]["names"] => ({
  plural: "",
  kind: "",
  ...(isRecord(spec) ? spec.names : {}),
});

/**
 * Strategy for CustomResourceDefinitions. A controller accepts their names, establishes them, and cleans up after
 * deleted ones.
 *
 * @see apiextensions-apiserver pkg/registry/customresourcedefinition strategy
 */
export const customResourceDefinitionStrategy: KindStrategy<CustomResourceDefinition> = {
  countsGeneration: true,
  hasStatus: true,
  columns: [
    nameColumn,
    { name: "Scope", type: "string", cell: ({ spec }) => spec.scope },
    { name: "Versions", type: "string", cell: servedVersions },
    createdAtColumn,
    { name: "Group", type: "string", priority: 1, cell: ({ spec }) => spec.group },
    { name: "Kind", type: "string", priority: 1, cell: ({ spec }) => spec.names.kind },
    { name: "ShortNames", type: "string", priority: 1, cell: ({ spec }) => (spec.names.shortNames ?? []).join(",") },
    { name: "Established", type: "boolean", priority: 1, cell: isEstablished },
  ],

  applyDefaults(definition) {
    // fields that upstream's Go struct always contains
    const given: Partial<CustomResourceDefinition["spec"]> = definition.spec ?? {};
    definition.spec = { group: "", scope: "", versions: [], ...given, names: namesOf(definition) };
    const { spec } = definition;
    const { names } = spec;
    if (names.kind) {
      names.singular ??= names.kind.toLowerCase();
      names.listKind ??= `${names.kind}List`;
    }
    spec.conversion ??= { strategy: "None" };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service) service.port ??= 443;
    // Go always serializes a status with `storedVersions`
    const { status = {} } = definition;
    if (!status.storedVersions?.length) definition.status = { ...status, storedVersions: storageVersions(definition) };
  },

  prepareForCreate(definition) {
    definition.status = {
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: storageVersions(definition),
    };
  },

  prepareForUpdate(definition) {
    const stored = definition.status?.storedVersions ?? [];
    const missing = storageVersions(definition).filter((name) => !stored.includes(name));
    if (missing.length > 0) definition.status = { ...definition.status, storedVersions: [...stored, ...missing] };
  },

  prepareForDelete(definition, { nowMs }) {
    const { metadata, status } = definition;
    if (!metadata.finalizers?.includes(cleanupFinalizer))
      metadata.finalizers = [...(metadata.finalizers ?? []), cleanupFinalizer];
    const others = (status?.conditions ?? []).filter(({ type }) => type !== "Terminating");
    const terminating = {
      type: "Terminating",
      status: "True",
      lastTransitionTime: rfc3339(nowMs),
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    } as const;
    definition.status = { ...status, conditions: [...others, terminating] };
  },

  validate: (definition) => validateDefinition(definition),
  validateUpdate: (definition, old) => validateDefinitionUpdate(definition, old),
};

function servedVersions({ spec }: CustomResourceDefinition): string {
  const served = spec.versions.filter((version) => version.served);
  return served
    .map(({ name, storage }) => (storage ? `${name}(storage)` : name))
    .sort()
    .join(",");
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(({ type, status: state }) => type === "Established" && state === "True");
}

const storageVersions = ({ spec }: CustomResourceDefinition): string[] =>
  (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
