import { apiVersionOf } from "@kubewright/apimachinery";
import type { Connection } from "../connection/connection.ts";
import { statusErrorFrom } from "../connection/status-from-response.ts";
import type { APIGroup, APIResource } from "./api-group.ts";

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

/** The groups as servers before 1.26 tell them: a list of groups, then the resources of each version. */
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
      versions: await Promise.all(
        versions.map(async (version) => ({ version, resources: await resourcesOf(connection, name, version) })),
      ),
    })),
  );
}

const preferredFirst = (versions: readonly string[], preferred: string | undefined): string[] =>
  preferred === undefined ? [...versions] : [preferred, ...versions.filter((version) => version !== preferred)];

/** A group whose own server is down has no resources just now; the other groups are still there. */
async function resourcesOf(connection: Connection, group: string, version: string): Promise<APIResource[]> {
  const path = `${group === "" ? "/api" : "/apis"}/${apiVersionOf({ group, version })}`;
  const { resources = [] } = (await read<ResourceList>(connection, path)) ?? {};
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

async function read<T>(connection: Connection, path: string): Promise<T | undefined> {
  const request = { path, what: "discover" };
  const response = await connection.request(request);
  if (response.status === 404 || response.status === 503) return undefined;
  if (response.status >= 400) throw statusErrorFrom(response, request);
  return JSON.parse(response.body.toString()) as T;
}
