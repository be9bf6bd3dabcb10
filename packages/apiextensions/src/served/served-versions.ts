import { apiVersionOf } from "@kubewright/apimachinery";
import { createFieldManager } from "@kubewright/apiserver/fieldmanager";
import type { ServedResource, SubresourceInfo, VersionConverter } from "@kubewright/apiserver/registry";
import type { WebhookClients } from "@kubewright/apiserver/webhook";
import type { ObjectSchema } from "@kubewright/codec/schema";
import { ConversionWebhook } from "../conversion/conversion-webhook.ts";
import { type VersionOfType, versionConverter } from "../conversion/version-converter.ts";
import { compareVersions } from "../conversion/version-order.ts";
import type { CustomResourceDefinition, DefinitionVersion } from "../definition/definition.ts";
import { resourceSchemaOf } from "../schema/type-schema-of.ts";
import { customStrategy } from "./custom-strategy.ts";

export interface ServedVersionsOptions {
  /** Keep managed fields. Default true. */
  readonly managedFields?: boolean;
  /** Calls webhooks that convert. Without it the strategy `Webhook` converts as `None` does. */
  readonly webhooks?: WebhookClients;
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
    .map((version) => servedVersion(definition, version, stored ?? version, options));
}

/** All versions by `apiVersion`, served or not. */
function versionsOf({ spec }: CustomResourceDefinition): ReadonlyMap<string, VersionOfType> {
  return new Map(
    spec.versions.map((version) => {
      const apiVersion = apiVersionOf({ group: spec.group, version: version.name });
      const schema = resourceSchemaOf(version.schema?.openAPIV3Schema ?? {}, spec.names.kind);
      const strategy = customStrategy(version);
      return [apiVersion, { apiVersion, schema, applyDefaults: (object) => strategy.applyDefaults?.(object) }];
    }),
  );
}

function converterOf(
  definition: CustomResourceDefinition,
  served: VersionOfType,
  storedVersion: string,
  { webhooks }: ServedVersionsOptions,
): VersionConverter {
  const { group, conversion } = definition.spec;
  const versions = versionsOf(definition);
  const stored = versions.get(apiVersionOf({ group, version: storedVersion })) ?? served;
  const isOwn = stored.apiVersion === served.apiVersion;
  const { clientConfig, conversionReviewVersions: reviewVersions = [] } = conversion?.webhook ?? {};
  const isWebhook = conversion?.strategy === "Webhook" && clientConfig && webhooks;
  return versionConverter({
    served,
    stored: isOwn ? served : stored,
    versions,
    ...(isWebhook ? { webhook: new ConversionWebhook({ clients: webhooks, clientConfig, reviewVersions }) } : {}),
  });
}

function servedVersion(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
  stored: DefinitionVersion,
  options: ServedVersionsOptions,
): ServedResource {
  const { managedFields = true } = options;
  const { group, scope } = definition.spec;
  const names = { ...definition.spec.names, ...definition.status?.acceptedNames };
  const gvk = { group, version: version.name, kind: names.kind };
  const schema = resourceSchemaOf(version.schema?.openAPIV3Schema ?? {}, names.kind);
  const strategy = customStrategy(version);
  const convertibleVersions = convertibleVersionsOf(definition);
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
    ...(managedFields ? { fieldManager: createFieldManager({ gvk, schema, convertibleVersions }) } : {}),
    storagePrefix: `/${group}/${names.plural}/`,
    storedVersion: stored.name,
    converter: converterOf(
      definition,
      { apiVersion: apiVersionOf(gvk), schema, applyDefaults: (object) => strategy.applyDefaults?.(object) },
      stored.name,
      options,
    ),
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
    ...(isTerminating(definition)
      ? { createRefusal: "create not allowed while custom resource definition is terminating" }
      : {}),
  };
}

/** The schemas are made when an object has an entry of that version; a webhook's conversions are not known beforehand. */
function convertibleVersionsOf(
  definition: CustomResourceDefinition,
): ReadonlyMap<string, () => ObjectSchema | undefined> {
  const { group, names, versions, conversion } = definition.spec;
  return new Map(
    versions.map(({ name, schema }) => {
      let made: ObjectSchema | undefined;
      const schemaOf = (): ObjectSchema => (made ??= resourceSchemaOf(schema?.openAPIV3Schema ?? {}, names.kind));
      return [apiVersionOf({ group, version: name }), conversion?.strategy === "Webhook" ? () => undefined : schemaOf];
    }),
  );
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
