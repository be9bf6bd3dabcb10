import type { Permission } from "@kubewright/apimachinery";

/**
 * Permission for one verb on one resource, optionally limited to one object. Rules are split into grants before they are merged or
 * compared.
 */
export interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string | undefined;
}

/** A rule in a role, as in the Kubernetes API. */
export interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

/** Verbs that cannot be limited to a name, because they apply to new objects or to many objects. */
const nameless = new Set(["create", "list", "watch", "deletecollection"]);

/**
 * Splits a permission into grants.
 *
 * @throws {Error} if the permission contains a wildcard or is empty
 */
export function grantsOf({ group, resource, verbs, resourceNames }: Permission): Grant[] {
  const permission = `permission ${resource}${group ? `.${group}` : ""}`;
  for (const [field, values] of Object.entries({ group: [group], resource: [resource], verbs, resourceNames }))
    for (const value of values ?? [])
      if (value.includes("*"))
        throw new Error(
          `${permission}: ${field}: ${JSON.stringify(value)}: wildcards are not allowed; list the values instead`,
        );
  if (resource === "") throw new Error("a permission must contain a resource");
  if (verbs.length === 0) throw new Error(`${permission} must contain a verb`);
  return verbs.flatMap((verb): Grant[] => {
    const names = nameless.has(verb) ? undefined : resourceNames;
    return names?.length ? names.map((name) => ({ group, resource, verb, name })) : [{ group, resource, verb }];
  });
}

/** Reports whether a grant is covered by other grants. */
export const isGranted = (grant: Grant, by: readonly Grant[]): boolean =>
  by.some(
    ({ group, resource, verb, name }) =>
      group === grant.group &&
      resource === grant.resource &&
      verb === grant.verb &&
      (name === undefined || name === grant.name),
  );

/** Returns the smallest set of rules that contains the given grants, in a fixed order. */
export function rulesOf(grants: readonly Grant[]): RoleRule[] {
  const broad = grants.filter(({ name }) => name === undefined);
  const needed = [...broad, ...grants.filter((grant) => grant.name !== undefined && !isGranted(grant, broad))];
  const objects = joined(
    needed,
    ({ group, resource, name }) => [group, resource, name],
    (first, same) => ({
      ...first,
      verbs: sorted(same.map(({ verb }) => verb)),
    }),
  );
  const resources = joined(
    objects,
    ({ group, resource, verbs, name }) => [group, resource, verbs, name === undefined],
    (first, same) => ({
      ...first,
      names: sorted(same.flatMap(({ name }) => name ?? [])),
    }),
  );
  const rules = joined(
    resources,
    ({ group, verbs, names }) => [group, verbs, names],
    ({ group, verbs, names }, same) => ({
      apiGroups: [group],
      resources: sorted(same.map(({ resource }) => resource)),
      ...(names.length > 0 ? { resourceNames: names } : {}),
      verbs,
    }),
  );
  return rules.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

const sorted = (values: readonly string[]): string[] => [...new Set(values)].sort();

const orderOf = ({ apiGroups, resources, resourceNames = [], verbs }: RoleRule): string =>
  JSON.stringify([apiGroups, resources, resourceNames.length, resourceNames, verbs]);

/** Joins the items that have the same key. */
function joined<T, R>(
  items: readonly T[],
  keyOf: (item: T) => readonly unknown[],
  join: (first: T, same: readonly T[]) => R,
): R[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(keyOf(item)));
  return [...groups.values()].flatMap((same) => (same[0] === undefined ? [] : [join(same[0], same)]));
}
