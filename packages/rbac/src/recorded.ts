import type { Permission } from "@kubewright/apimachinery";
import { derivedPermissions, leasePermissions, reviews, shardPermissions } from "./derived.ts";
import { grantsOf, isGranted } from "./grants.ts";
import { type ObservedCall, observedPermissions } from "./observed.ts";
import type { ProgramDescription } from "./program-description.ts";

/**
 * Merges previously recorded permissions with the permissions that new requests need. Omits permissions that follow
 * from the program's description (unless the program declares them), and object names that are derived from the
 * program's objects. The result is sorted, so that the same tests always produce the same result.
 */
export function recordedPermissions(
  before: readonly Permission[],
  calls: readonly ObservedCall[],
  description: ProgramDescription,
): Permission[] {
  const { controllers, leaderElection, sharding, permissions } = description;
  const known = [
    ...derivedPermissions(description),
    ...(leaderElection ? leasePermissions(leaderElection.id) : []),
    ...(sharding ? shardPermissions : []),
    ...reviews,
    ...anybodys,
  ].flatMap(grantsOf);
  const declared = permissions.flatMap(grantsOf);
  const mains = new Set(controllers.flatMap((one) => (one.for ? `${one.for.plural}.${one.for.group}` : [])));
  const objects = new Set(
    calls.flatMap(({ group, resource, name }) => (name && mains.has(`${plain(resource)}.${group}`) ? name : [])),
  );
  const isMade = (name: string): boolean => [...objects].some((object) => name.includes(object));
  const seen = calls
    .filter((call) => !isGranted(call, known) || isGranted(call, declared))
    .map(({ name, ...call }) => (name === undefined || isMade(name) ? call : { ...call, name }));
  const kept = before.flatMap(callsOf);
  const isLimited = description.caches.some(({ namespaces }) => namespaces !== undefined);
  const clusterWide = new Set(
    isLimited ? [...kept, ...seen].filter(({ isClusterWide }) => isClusterWide).map(placeOf) : [],
  );
  const joined = Map.groupBy(
    observedPermissions([...kept, ...seen], description),
    ({ group, resource, resourceNames }) => JSON.stringify([group, resource, resourceNames ?? []]),
  );
  return [...joined]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, same]) => {
      const [first] = same;
      if (!first) return [];
      const { group, resource, resourceNames } = first;
      const verbs = [...new Set(same.flatMap((one) => one.verbs))].sort();
      const scope = clusterWide.has(placeOf(first)) ? { scope: "Cluster" as const } : {};
      return [{ group, resource, verbs, ...(resourceNames ? { resourceNames } : {}), ...scope }];
    });
}

/** Permissions to review one's own access. Every user has them. */
const anybodys: readonly Permission[] = [
  {
    group: "authorization.k8s.io",
    resource: "selfsubjectaccessreviews",
    verbs: ["create"],
  },
];

const plain = (resource: string): string => resource.split("/", 1)[0] ?? "";
const placeOf = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  `${plain(resource)}.${group}`;

const callsOf = ({ group, resource, verbs, resourceNames, scope }: Permission): ObservedCall[] => {
  const isClusterWide = scope === "Cluster";
  return verbs.flatMap((verb): ObservedCall[] => {
    const call = { group, resource, verb, isClusterWide };
    return resourceNames ? resourceNames.map((name) => ({ ...call, name })) : [call];
  });
};
