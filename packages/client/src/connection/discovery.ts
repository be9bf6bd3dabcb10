import { apiVersionOf, type GroupVersionKind, type GroupVersionResource, type Scope } from "@kubewright/apimachinery";
import type { Connection } from "./connection.ts";
import { checkItems, objectIn, statusErrorFrom } from "./response.ts";

/** A server's Kubernetes version. @see apimachinery version.Info */
export interface ServerVersion {
  readonly major: string;
  /** Minor version, possibly with a trailing `+`. */
  readonly minor: string;
  /** Full version, such as `v1.37.2`. */
  readonly gitVersion: string;
}

/**
 * A server's API groups and resources. They are fetched on first use and cached until `invalidate` is called. Discovery
 * takes two requests if the server supports aggregated discovery; otherwise, it takes an additional request for each
 * group version. Methods reject with `StatusError` or `ConnectionError`; failures are not cached.
 *
 * @see client-go discovery CachedDiscoveryInterface
 */
export class Discovery {
  readonly #connection: Connection;
  #groups: Promise<readonly APIGroup[]> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** True if the groups are cached, so that the next query needs no request. */
  get hasLoaded(): boolean {
    return this.#groups !== undefined;
  }

  /** Returns all groups, in the server's order. */
  groups(): Promise<readonly APIGroup[]> {
    if (this.#groups) return this.#groups;
    const groups = this.#load();
    this.#groups = groups;
    groups.catch(() => {
      if (this.#groups === groups) this.#groups = undefined;
    });
    return groups;
  }

  /** Returns the resources of all groups and versions. Within each group, the preferred version's resources come first. */
  async resources(): Promise<readonly APIResource[]> {
    return (await this.groups()).flatMap((group) => group.versions.flatMap((version) => version.resources));
  }

  /** Drops the cached groups, so that the next query sends a request to the server. */
  invalidate(): void {
    this.#groups = undefined;
  }

  /** Fetches the server's version. It is not cached. */
  async serverVersion(): Promise<ServerVersion> {
    const request = { path: "/version", what: "get the server's version" };
    const response = await this.#connection.request(request);
    if (response.status >= 400) throw statusErrorFrom(response, request);
    return objectIn(response.body, request.what) as ServerVersion;
  }

  async #load(): Promise<readonly APIGroup[]> {
    return (await aggregatedGroups(this.#connection)) ?? legacyGroups(this.#connection);
  }
}

/** One resource in one version, as described by the server. @see apimachinery metav1.APIResource */
export interface APIResource {
  readonly gvk: GroupVersionKind;
  readonly gvr: GroupVersionResource;
  readonly scope: Scope;
  /** Singular name. May be empty with older servers. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Supported verbs, such as `get`, `list`, `watch` and `create`. */
  readonly verbs: readonly string[];
  /** Subresources, such as `status` and `scale`. */
  readonly subResources: readonly string[];
}

/** One API group. @see apimachinery metav1.APIGroup */
export interface APIGroup {
  /** Name of the group. Empty for the core group. */
  readonly name: string;
  /** Versions, preferred one first. @see k8s.io/api apidiscovery/v2 APIVersionDiscovery */
  readonly versions: readonly {
    readonly version: string;
    /** Resources of the version. Empty while `freshness` is `Stale`. */
    readonly resources: readonly APIResource[];
    /** `Stale` while the server that serves this version does not respond. Its resources are then unknown rather than absent. */
    readonly freshness: "Current" | "Stale";
  }[];
}

/** Returns the group versions whose resources are currently unknown. */
export const staleVersions = (groups: readonly APIGroup[]): { readonly group: string; readonly version: string }[] =>
  groups.flatMap(({ name: group, versions }) =>
    versions.filter(({ freshness }) => freshness === "Stale").map(({ version }) => ({ group, version })),
  );

interface GroupDiscoveryList {
  readonly kind: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly ResourceDiscovery[];
      readonly freshness?: string;
    }[];
  }[];
}

interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind?: { readonly kind: string };
  readonly scope: "Namespaced" | "Cluster";
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Returns the groups from `/api` and `/apis`, or `undefined` if the server does not support aggregated discovery. */
async function aggregatedGroups(connection: Connection): Promise<APIGroup[] | undefined> {
  const lists = await Promise.all(["/api", "/apis"].map((path) => groupList(connection, path)));
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => (list?.items ?? []).map(groupOf));
}

async function groupList(connection: Connection, path: string): Promise<GroupDiscoveryList | undefined> {
  const request = { path, headers: { accept }, what: "discover" };
  const response = await connection.request(request);
  if (response.status === 404 || response.status === 406) return undefined;
  if (response.status >= 400) throw statusErrorFrom(response, request);
  const answer = objectIn(response.body, request.what) as GroupDiscoveryList;
  checkItems(answer.items, request.what);
  return answer.kind === "APIGroupDiscoveryList" ? answer : undefined;
}

function groupOf({ metadata, versions = [] }: NonNullable<GroupDiscoveryList["items"]>[number]): APIGroup {
  const group = metadata?.name ?? "";
  return {
    name: group,
    versions: versions.map(({ version, resources = [], freshness }) =>
      freshness === "Stale"
        ? { version, resources: [], freshness }
        : {
            version,
            resources: resources.flatMap((resource) => resourceOf(group, version, resource)),
            freshness: "Current",
          },
    ),
  };
}

/**
 * Returns an array with the resource, or an empty one if the resource has no kind. A resource without a kind exists only for its
 * subresources, for example if another server provides the resource itself.
 */
function resourceOf(group: string, version: string, found: ResourceDiscovery): APIResource[] {
  if (!found.responseKind?.kind) return [];
  return [
    {
      gvk: { group, version, kind: found.responseKind.kind },
      gvr: { group, version, resource: found.resource },
      scope: found.scope,
      singular: found.singularResource || found.responseKind.kind.toLowerCase(),
      shortNames: found.shortNames ?? [],
      categories: found.categories ?? [],
      verbs: found.verbs ?? [],
      subResources: (found.subresources ?? []).map(({ subresource }) => subresource),
    },
  ];
}

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** Returns the groups of a server before 1.26, which are fetched as a list of groups, then the resources of each version. */
async function legacyGroups(connection: Connection): Promise<APIGroup[]> {
  const [core, rest] = await Promise.all([
    read<{ readonly versions?: readonly string[] }>(connection, "/api"),
    read<GroupList>(connection, "/apis"),
  ]);
  const groups = [
    { name: "", versions: core?.versions ?? [] },
    ...(rest?.groups ?? []).map(({ name, versions, preferredVersion }) => ({
      name,
      versions: preferredFirst(
        versions.map(({ version }) => version),
        preferredVersion?.version,
      ),
    })),
  ];
  return Promise.all(
    groups.map(async ({ name, versions }) => ({
      name,
      versions: await Promise.all(versions.map((version) => versionOf(connection, name, version))),
    })),
  );
}

const preferredFirst = (versions: readonly string[], preferred: string | undefined): string[] =>
  preferred === undefined ? [...versions] : [preferred, ...versions.filter((version) => version !== preferred)];

/** Returns one version. If the server behind it is down, the version is stale, and the others remain known. */
async function versionOf(
  connection: Connection,
  group: string,
  version: string,
): Promise<APIGroup["versions"][number]> {
  const path = `${group === "" ? "/api" : "/apis"}/${apiVersionOf({ group, version })}`;
  const list = await read<ResourceList>(connection, path, [404, 503]);
  if (!list) return { version, resources: [], freshness: "Stale" };
  return { version, resources: resourcesOf(group, version, list), freshness: "Current" };
}

function resourcesOf(group: string, version: string, { resources = [] }: ResourceList): APIResource[] {
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((found) => ({
      gvk: { group, version, kind: found.kind },
      gvr: { group, version, resource: found.name },
      scope: found.namespaced ? "Namespaced" : "Cluster",
      singular: found.singularName || found.kind.toLowerCase(),
      shortNames: found.shortNames ?? [],
      categories: found.categories ?? [],
      verbs: found.verbs ?? [],
      subResources: resources
        .filter(({ name }) => name.startsWith(`${found.name}/`))
        .map(({ name }) => name.slice(found.name.length + 1)),
    }));
}

/** Fetches a document. @param absent status codes for which the result is `undefined` */
async function read<T>(
  connection: Connection,
  path: string,
  absent: readonly number[] = [404],
): Promise<T | undefined> {
  const request = { path, what: "discover" };
  const response = await connection.request(request);
  if (absent.includes(response.status)) return undefined;
  if (response.status >= 400) throw statusErrorFrom(response, request);
  return objectIn(response.body, request.what) as T;
}
