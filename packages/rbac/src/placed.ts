import type { DescribedResource, Permission } from "@kubewright/apimachinery";
import { type Grant, grantsOf } from "./grants.ts";
import type { ProgramDescription } from "./program-description.ts";

/** The parts of a program's description that determine grants' namespaces and resources' scopes. */
export type Places = Pick<ProgramDescription, "kinds" | "controllers" | "caches">;

/**
 * Returns the grants for the given permissions, keyed by namespace. The key `undefined` means the whole cluster. If a
 * cache is limited to certain namespaces, the grants for its resources apply only in those namespaces.
 *
 * @throws {Error} if a permission contains a wildcard or is empty
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

const resourcesOf = ({
  kinds,
  controllers,
}: Places): readonly Pick<DescribedResource, "group" | "plural" | "scope">[] => [
  ...kinds,
  ...controllers.flatMap((one) => [...(one.for ? [one.for] : []), ...one.owns, ...one.watches]),
];

function namespacesOf(group: string, plural: string, { caches }: Places): readonly string[] | undefined {
  const own = caches.find(({ resources }) => resources?.some((one) => one.group === group && one.plural === plural));
  return (own ?? caches.find(({ resources }) => resources === undefined))?.namespaces;
}
