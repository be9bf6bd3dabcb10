import { createHash } from "node:crypto";
import { ownMember } from "@kubewright/apimachinery";
import type { ResourceInfo, ServedResource, SubresourceInfo } from "../../registry/resource.ts";
import type { ListedGroup } from "./listed-groups.ts";

/** Returns the entry for a group in the document at `/apis`. */
export function legacyGroup({ group, versions }: ListedGroup): Record<string, unknown> {
  const shown = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: shown, preferredVersion: shown[0] };
}

/**
 * Returns the entries for a resource and its subresources in the document at `/apis/<group>/<version>`.
 *
 * @param stored the resource in its storage version
 */
export function legacyResources(resource: ServedResource, stored: ResourceInfo): unknown[] {
  const { singular, shortNames, categories, kind, verbs } = resource;
  const namespaced = resource.scope === "Namespaced";
  return [
    {
      name: resource.resource,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
      ...(verbs.includes("watch")
        ? {
            storageVersionHash: versionHash(
              `${stored.group}/${ownMember(storedOtherwise, stored.kind) ?? stored.version}/${stored.kind}`,
            ),
          }
        : {}),
    },
    ...resource.subresources.map((subresource) => ({
      name: `${resource.resource}/${subresource.name}`,
      singularName: "",
      namespaced,
      ...(isForeign(resource, subresource) ? { group: subresource.kind.group, version: subresource.kind.version } : {}),
      kind: subresource.kind.kind,
      verbs: subresource.verbs,
    })),
  ];
}

/** Storage versions of the kinds that upstream does not store in their preferred version. */
const storedOtherwise: Readonly<Record<string, string>> = {
  ClusterTrustBundle: "v1beta1",
  CustomResourceDefinition: "v1beta1",
  DeviceTaintRule: "v1beta2",
  PodCertificateRequest: "v1beta1",
  StorageVersionMigration: "v1beta1",
};

const versionHash = (text: string): string =>
  createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");

const isForeign = (resource: ServedResource, { kind }: SubresourceInfo): boolean =>
  kind.group !== resource.group || kind.version !== resource.version;

/** Returns the entry for a group, with its versions and resources, in the aggregated discovery document. */
export function aggregatedGroup({ group, versions }: ListedGroup): unknown {
  return {
    metadata: group === "" ? {} : { name: group },
    versions: versions.map(({ version, content }) =>
      isOwn(content)
        ? { version, resources: inOrder(content).map(aggregatedResource), freshness: "Current" }
        : { version, ...content },
    ),
  };
}

const isOwn = (content: ListedGroup["versions"][number]["content"]): content is readonly ServedResource[] =>
  Array.isArray(content);

/** Returns resources in the order of discovery: built-in resources in the catalogue's order, and custom resources sorted by name. */
function inOrder(resources: readonly ServedResource[]): readonly ServedResource[] {
  if (resources.every(({ origin }) => origin === "builtin")) return resources;
  return [...resources].sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

function aggregatedResource(resource: ServedResource): unknown {
  const { shortNames, categories, subresources, kind } = resource;
  // entries for built-in resources omit the group and version, because these are the same as in the enclosing entry
  const { group, version } = resource.origin === "builtin" ? { group: "", version: "" } : resource;
  return {
    resource: resource.resource,
    responseKind: { group, version, kind },
    scope: resource.scope,
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: isForeign(resource, subresource)
              ? subresource.kind
              : { group, version, kind: subresource.kind.kind },
            verbs: subresource.verbs,
          })),
        }
      : {}),
  };
}
