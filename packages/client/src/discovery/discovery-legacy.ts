import { apiVersionOf } from "@kubewright/apimachinery";
import type { Connection } from "../connection/connection.ts";
import { objectIn } from "../connection/object-in.ts";
import { statusErrorFrom } from "../connection/status-from-response.ts";
import type { APIGroup, APIResource, APIVersion } from "./api-group.ts";

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

/** Returns the groups in the form of servers before 1.26: a list of groups, then the resources of each version. */
export async function legacyGroups(connection: Connection): Promise<APIGroup[]> {
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

/** A version whose own server is down is stale; the other versions are known. */
async function versionOf(connection: Connection, group: string, version: string): Promise<APIVersion> {
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

/** @param absent status codes for which the result is `undefined` */
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
