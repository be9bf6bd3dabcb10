import type { Permission } from "../description/program-description.ts";

/** One verb on one resource, perhaps on one object only: what rules are made of, so that they can be joined and compared. */
export interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string | undefined;
}

/** A rule of a role, as it is on the wire. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Verbs that no name limits: there is no object yet, or there are many. */
const nameless = new Set(["create", "list", "watch", "deletecollection"]);

/**
 * The grants that a permission is.
 *
 * @throws {Error} if it has a wildcard, or nothing in it: roles say what they mean
 */
export function grantsOf({ group, resource, verbs, resourceNames }: Permission): Grant[] {
  const said = `permission ${resource}${group ? `.${group}` : ""}`;
  for (const [field, values] of Object.entries({ group: [group], resource: [resource], verbs, resourceNames }))
    for (const value of values ?? [])
      if (value.includes("*"))
        throw new Error(`${said}: ${field}: ${JSON.stringify(value)}: name what is needed, not all`);
  if (resource === "" || verbs.length === 0)
    throw new Error(`${said}: names no ${resource === "" ? "resource" : "verb"}`);
  return verbs.flatMap((verb): Grant[] => {
    const names = nameless.has(verb) ? undefined : resourceNames;
    return names?.length ? names.map((name) => ({ group, resource, verb, name })) : [{ group, resource, verb }];
  });
}

/** Whether a grant is one of these, or part of one. */
export const isGranted = (grant: Grant, by: readonly Grant[]): boolean =>
  by.some(
    ({ group, resource, verb, name }) =>
      group === grant.group &&
      resource === grant.resource &&
      verb === grant.verb &&
      (name === undefined || name === grant.name),
  );

/** The fewest rules that grant this, in an order that depends on nothing else. */
export function rulesOf(grants: readonly Grant[]): PolicyRule[] {
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

const orderOf = ({ apiGroups, resources, resourceNames = [], verbs }: PolicyRule): string =>
  JSON.stringify([apiGroups, resources, resourceNames.length, resourceNames, verbs]);

/** Items of the same key made one. */
function joined<T, R>(
  items: readonly T[],
  keyOf: (item: T) => readonly unknown[],
  join: (first: T, same: readonly T[]) => R,
): R[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(keyOf(item)));
  return [...groups.values()].flatMap((same) => (same[0] === undefined ? [] : [join(same[0], same)]));
}
