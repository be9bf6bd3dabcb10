import { apiVersionOf, isStatusError, type Unstructured } from "@kubewright/apimachinery";
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

/** Options for serving the versions of a custom resource. */
export interface ServedVersionsOptions {
  /** True to store managed fields. Default true. */
  readonly managedFields?: boolean | undefined;
  /** Client for conversion webhooks. If absent, the strategy `Webhook` behaves like `None`. */
  readonly webhooks?: WebhookClients | undefined;
}

/**
 * Returns the resources that a CRD defines, under its accepted names: one for each served version, the preferred
 * version first.
 */
export function servedVersions(
  definition: CustomResourceDefinition,
  options: ServedVersionsOptions = {},
): ServedResource[] {
  const { group, versions } = definition.spec;
  const types = versionsOf(definition);
  const stored = versions.find((version) => version.storage);
  const shared: SharedParts = {
    types,
    convertible: convertibleVersionsOf(definition, types),
    newest: newestOf(definition),
    options,
  };
  return versions
    .filter((version) => version.served)
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .flatMap((version) => {
      const type = types.get(apiVersionOf({ group, version: version.name }));
      return type ? [servedVersion(definition, version, type, stored ?? version, shared)] : [];
    });
}

/** Parts that all versions of a CRD share. They are computed only once, because a CRD may have thousands of versions. */
interface SharedParts {
  /** All versions, keyed by `apiVersion`, including versions that are not served. */
  readonly types: ReadonlyMap<string, TypeOfVersion>;
  readonly convertible: ReadonlyMap<string, () => ObjectSchema | undefined>;
  /** The newest version that is served and not deprecated. */
  readonly newest: DefinitionVersion | undefined;
  readonly options: ServedVersionsOptions;
}

interface TypeOfVersion extends VersionOfType {
  readonly strategy: ReturnType<typeof customStrategy>;
}

function versionsOf({ spec }: CustomResourceDefinition): ReadonlyMap<string, TypeOfVersion> {
  return new Map(
    spec.versions.map((version) => {
      const apiVersion = apiVersionOf({ group: spec.group, version: version.name });
      const schema = schemaOf(version, spec.names.kind);
      const strategy = customStrategy(version);
      return [apiVersion, { apiVersion, schema, strategy, applyDefaults: (object) => applyWhatFits(strategy, object) }];
    }),
  );
}

/** Fills in the defaults, unless there are too many. This way, objects remain readable if a later schema adds too many defaults to them. */
function applyWhatFits(strategy: ReturnType<typeof customStrategy>, object: Unstructured): void {
  try {
    strategy.applyDefaults?.(object);
  } catch (error) {
    if (!isStatusError(error)) throw error;
  }
}

const schemaOf = ({ schema }: DefinitionVersion, kind: string): ObjectSchema =>
  resourceSchemaOf(schema?.openAPIV3Schema ?? {}, kind);

function converterOf(
  definition: CustomResourceDefinition,
  served: VersionOfType,
  storedVersion: string,
  { types: versions, options: { webhooks } }: SharedParts,
): VersionConverter {
  const { group, conversion } = definition.spec;
  const stored = versions.get(apiVersionOf({ group, version: storedVersion })) ?? served;
  const { clientConfig, conversionReviewVersions: reviewVersions = [] } = conversion?.webhook ?? {};
  const isWebhook = conversion?.strategy === "Webhook" && clientConfig && webhooks;
  return versionConverter({
    served,
    stored,
    versions,
    ...(isWebhook ? { webhook: new ConversionWebhook({ clients: webhooks, clientConfig, reviewVersions }) } : {}),
  });
}

function servedVersion(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
  type: TypeOfVersion,
  stored: DefinitionVersion,
  shared: SharedParts,
): ServedResource {
  const { managedFields = true } = shared.options;
  const { group, scope } = definition.spec;
  const names = { ...definition.spec.names, ...definition.status?.acceptedNames };
  const gvk = { group, version: version.name, kind: names.kind };
  const { strategy } = type;
  const schema = names.kind === definition.spec.names.kind ? type.schema : schemaOf(version, names.kind);
  const { convertible: convertibleVersions } = shared;
  const warning = deprecationWarning(definition, version, shared.newest);
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
    converter: converterOf(definition, type, stored.name, shared),
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
    ...(isTerminating(definition)
      ? { createRefusal: "create not allowed while custom resource definition is terminating" }
      : {}),
  };
}

/**
 * Returns the versions to which objects can be converted. The schemas are `undefined` if a webhook converts, because its results are not
 * known in advance.
 */
function convertibleVersionsOf(
  { spec: { conversion } }: CustomResourceDefinition,
  types: ReadonlyMap<string, TypeOfVersion>,
): ReadonlyMap<string, () => ObjectSchema | undefined> {
  const isWebhook = conversion?.strategy === "Webhook";
  return new Map([...types].map(([apiVersion, { schema }]) => [apiVersion, () => (isWebhook ? undefined : schema)]));
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

/** Returns the warning for a deprecated version: the configured one, or one that recommends the newest version that is not deprecated. */
function deprecationWarning(
  { spec: { group, names } }: CustomResourceDefinition,
  version: DefinitionVersion,
  newest: DefinitionVersion | undefined,
): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  return newest && compareVersions(newest.name, version.name) < 0
    ? `${text}; use ${group}/${newest.name} ${names.kind}`
    : text;
}

function newestOf({ spec: { versions } }: CustomResourceDefinition): DefinitionVersion | undefined {
  const [newest] = versions
    .filter(({ served, deprecated }) => served && !deprecated)
    .toSorted((a, b) => compareVersions(a.name, b.name));
  return newest;
}
