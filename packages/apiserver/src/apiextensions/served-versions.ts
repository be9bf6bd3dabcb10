import { apiVersionOf } from "@kubewright/apimachinery";
import { createFieldManager } from "../fieldmanager/typed-field-manager.ts";
import type { ServedResource, SubresourceInfo } from "../registry/resource.ts";
import { customStrategy } from "./custom-strategy.ts";
import type { CustomResourceDefinition, DefinitionVersion } from "./definition.ts";
import { resourceSchemaOf } from "./type-schema-of.ts";
import { noneConverter } from "./version-converter.ts";
import { compareVersions } from "./version-order.ts";

export interface ServedVersionsOptions {
  /** Keep managed fields. Default true. */
  readonly managedFields?: boolean;
}

/**
 * The resources that a definition adds to the server: one for each served version, preferred version first. The names are the accepted
 * ones.
 */
export function servedVersions(
  definition: CustomResourceDefinition,
  options: ServedVersionsOptions = {},
): ServedResource[] {
  const stored = definition.spec.versions.find((version) => version.storage);
  return definition.spec.versions
    .filter((version) => version.served)
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => servedVersion(definition, version, stored?.name ?? version.name, options));
}

function servedVersion(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
  storedVersion: string,
  { managedFields = true }: ServedVersionsOptions,
): ServedResource {
  const { group, scope } = definition.spec;
  const names = { ...definition.spec.names, ...definition.status?.acceptedNames };
  const gvk = { group, version: version.name, kind: names.kind };
  const schema = resourceSchemaOf(version.schema?.openAPIV3Schema ?? {}, names.kind);
  const strategy = customStrategy(version);
  const warning = deprecationWarning(definition, version);
  return {
    ...gvk,
    resource: names.plural,
    listKind: names.listKind ?? `${names.kind}List`,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    verbs: isTerminating(definition)
      ? ["delete", "deletecollection", "get", "list", "watch"]
      : ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
    subresources: subresourcesOf(version, gvk),
    origin: "custom",
    strategy,
    schema,
    ...(managedFields ? { fieldManager: createFieldManager({ gvk, schema }) } : {}),
    storagePrefix: `/${group}/${names.plural}/`,
    converter: noneConverter(
      { apiVersion: apiVersionOf(gvk), schema, applyDefaults: (object) => strategy.applyDefaults?.(object) },
      apiVersionOf({ group, version: storedVersion }),
    ),
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
    ...(isTerminating(definition)
      ? { createRefusal: "create not allowed while custom resource definition is terminating" }
      : {}),
  };
}

const isTerminating = (definition: CustomResourceDefinition): boolean =>
  definition.metadata.deletionTimestamp !== undefined ||
  (definition.status?.conditions ?? []).some(({ type, status }) => type === "Terminating" && status === "True");

function subresourcesOf(version: DefinitionVersion, kind: SubresourceInfo["kind"]): SubresourceInfo[] {
  const verbs = ["get", "patch", "update"] as const;
  const scale = { group: "autoscaling", version: "v1", kind: "Scale" };
  return [
    ...(version.subresources?.status ? [{ name: "status", verbs, kind }] : []),
    ...(version.subresources?.scale ? [{ name: "scale", verbs, kind: scale }] : []),
  ];
}

/** The text given, or one that names the newest version that is not deprecated. */
function deprecationWarning(definition: CustomResourceDefinition, version: DefinitionVersion): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = definition.spec;
  const [newer] = versions
    .filter(({ served, deprecated }) => served && !deprecated)
    .toSorted((a, b) => compareVersions(a.name, b.name));
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  return newer && compareVersions(newer.name, version.name) < 0
    ? `${text}; use ${group}/${newer.name} ${names.kind}`
    : text;
}
