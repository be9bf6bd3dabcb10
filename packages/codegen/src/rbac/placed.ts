import type { DescribedResource, Permission, ProgramDescription } from "../description/program-description.ts";
import { type Grant, grantsOf } from "./grants.ts";

/** Where grants go, and which resources have no namespaces, is said by these parts of a description. */
export type Places = Pick<ProgramDescription, "kinds" | "controllers" | "caches">;

/**
 * What permissions grant by namespace, under `undefined` in the whole cluster: where a cache has namespaces, in these.
 *
 * @throws {Error} if a permission has a wildcard, or names nothing
 */
export function placedGrants(permissions: readonly Permission[], places: Places): Map<string | undefined, Grant[]> {
  const placed = new Map<string | undefined, Grant[]>();
  const scopes = new Map(resourcesOf(places).map(({ group, plural, scope }) => [`${plural}.${group}`, scope]));
  for (const permission of permissions) {
    const [plural = ""] = permission.resource.split("/");
    const scope = permission.scope ?? scopes.get(`${plural}.${permission.group}`) ?? "Namespaced";
    const limited = scope === "Cluster" ? undefined : namespacesOf(permission.group, plural, places);
    const namespaces = permission.namespace !== undefined ? [permission.namespace] : (limited ?? [undefined]);
    for (const namespace of namespaces)
      placed.set(namespace, [...(placed.get(namespace) ?? []), ...grantsOf(permission)]);
  }
  return placed;
}

const resourcesOf = ({ kinds, controllers }: Places): readonly DescribedResource[] => [
  ...kinds,
  ...controllers.flatMap((one) => [...(one.for ? [one.for] : []), ...one.owns, ...one.watches]),
];

function namespacesOf(group: string, plural: string, { caches }: Places): readonly string[] | undefined {
  const own = caches.find(({ resources }) => resources?.some((one) => one.group === group && one.plural === plural));
  return (own ?? caches.find(({ resources }) => resources === undefined))?.namespaces;
}
