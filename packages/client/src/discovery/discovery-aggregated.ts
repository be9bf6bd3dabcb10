import type { Connection } from "../connection/connection.ts";
import { checkItems, objectIn } from "../connection/object-in.ts";
import { statusErrorFrom } from "../connection/status-from-response.ts";
import type { APIGroup, APIResource } from "./api-group.ts";

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

/** Returns the groups from `/api` and `/apis`; `undefined` if the server does not support this form. */
export async function aggregatedGroups(connection: Connection): Promise<APIGroup[] | undefined> {
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

/** A resource without a kind only contains subresources, for example those of another server. */
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
