import { isRecord } from "@kubewright/apimachinery";

/** The entry for a group version in an aggregated discovery document, without the `freshness` field. */
export type VersionEntry = Readonly<Record<string, unknown>>;

/** Limits for discovery documents of extension servers, which may send documents of any size and content. */
const most = { resources: 1_000, subresources: 100, words: 100, length: 253 } as const;

/**
 * Returns the entry for a version in an aggregated discovery document, or `undefined` if the version is not listed.
 *
 * @throws {Error} if the document is invalid
 */
export function entryOfAggregated(document: unknown, group: string, version: string): VersionEntry | undefined {
  if (!isRecord(document) || document.kind !== "APIGroupDiscoveryList" || !Array.isArray(document.items ?? []))
    throw new Error("the response is not an APIGroupDiscoveryList");
  for (const item of recordsIn(document.items)) {
    const { name = "" } = isRecord(item.metadata) ? item.metadata : {};
    if (name !== group) continue;
    for (const each of recordsIn(item.versions))
      if (each.version === version)
        return { version, resources: recordsIn(each.resources).slice(0, most.resources).flatMap(resourceOf) };
  }
  return undefined;
}

/**
 * Converts a discovery document in the older format, which describes one version, to an entry in the aggregated format.
 *
 * @throws {Error} if the document is invalid
 *
 * @see apiserver pkg/endpoints ConvertGroupVersionIntoToDiscovery
 */
export function entryOfLegacy(document: unknown, version: string): VersionEntry {
  if (!isRecord(document) || document.kind !== "APIResourceList")
    throw new Error("the response is not an APIResourceList");
  const listed = recordsIn(document.resources).slice(0, most.resources);
  const subresources = new Map<string, unknown[]>();
  for (const { name, group, version, kind, verbs } of listed) {
    const [parent = "", ...rest] = word(name).split("/");
    if (rest.length === 0) continue;
    const known = subresources.get(parent) ?? [];
    subresources.set(parent, known);
    known.push({ subresource: rest.join("/"), responseKind: { group, version, kind }, verbs });
  }
  const resources = listed
    .filter(({ name }) => !word(name).includes("/"))
    .flatMap(({ name, group, version, kind, namespaced, singularName, ...rest }) =>
      resourceOf({
        ...rest,
        resource: name,
        responseKind: { group, version, kind },
        scope: namespaced === true ? "Namespaced" : "Cluster",
        singularResource: singularName,
        subresources: subresources.get(word(name)),
      }),
    );
  return { version, resources };
}

function resourceOf(entry: Readonly<Record<string, unknown>>): unknown[] {
  const resource = word(entry.resource);
  if (resource === "") return [];
  const [shortNames, categories] = [words(entry.shortNames), words(entry.categories)];
  const subresources = recordsIn(entry.subresources).slice(0, most.subresources).flatMap(subresourceOf);
  return [
    {
      resource,
      responseKind: kindOf(entry.responseKind),
      scope: entry.scope === "Namespaced" ? "Namespaced" : "Cluster",
      singularResource: word(entry.singularResource),
      verbs: words(entry.verbs),
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
      ...(subresources.length > 0 ? { subresources } : {}),
    },
  ];
}

function subresourceOf(entry: Readonly<Record<string, unknown>>): unknown[] {
  const subresource = word(entry.subresource);
  if (subresource === "") return [];
  return [{ subresource, responseKind: kindOf(entry.responseKind), verbs: words(entry.verbs) }];
}

function kindOf(served: unknown): unknown {
  const { group, version, kind } = isRecord(served) ? served : {};
  return { group: word(group), version: word(version), kind: word(kind) };
}

const word = (value: unknown): string => (typeof value === "string" && value.length <= most.length ? value : "");

const words = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .slice(0, most.words)
        .map(word)
        .filter((each) => each !== "")
    : [];

const recordsIn = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
