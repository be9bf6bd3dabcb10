import type { DeepReadonly, Kind, KubeObject } from "@kubewright/apimachinery";
import { ignoreNotFound } from "@kubewright/apimachinery";
import type { CachedKindOptions } from "@kubewright/cache";
import type { Reader } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@kubewright/client/kinds";
import { EventLoopShare, systemClock } from "@kubewright/clock";
import type { UserInfo } from "@kubewright/webhook";
import { grants, permissionAnnotation } from "./bucket-grant.ts";

/** Index field of bindings: their subjects. */
const bySubject = "kubewright.dev/subject";

/** The kinds that determine permissions: bindings, which are found by subject, and roles with their annotations. */
export const roleKinds = [Role, ClusterRole, RoleBinding, ClusterRoleBinding] as const;

/** The part of a cache that {@link indexRoles} uses. */
export interface RoleCache {
  indexField<T extends KubeObject>(
    kind: Kind<T>,
    field: string,
    extract: (object: DeepReadonly<T>) => readonly string[],
  ): void;
  configure<T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T>): void;
}

/** Adds an index of bindings by subject, and caches only the metadata of roles. */
export function indexRoles(cache: RoleCache): void {
  cache.indexField(RoleBinding, bySubject, subjectsOf);
  cache.indexField(ClusterRoleBinding, bySubject, subjectsOf);
  cache.configure(Role, { transform: ({ rules: _, ...role }) => role });
  cache.configure(ClusterRole, { transform: ({ rules: _, aggregationRule: _rule, ...role }) => role });
}

/** A use of a bucket: the user, the namespace, the resource and the bucket. */
export interface BucketUse {
  readonly user: UserInfo;
  readonly namespace: string;
  /** Plural name of the resource's kind. */
  readonly resource: string;
  readonly bucket: string;
}

/**
 * Reports whether any of a user's roles in a namespace grants access to a bucket. Checks each role once, and yields to
 * other work in between.
 *
 * @throws the signal's reason when the request is cancelled
 */
export async function mayUse(reader: Reader, use: BucketUse, signal?: AbortSignal): Promise<boolean> {
  const { namespace, user } = use;
  const subjects = new Set([userKey(user.username), ...user.groups.map(groupKey)]);
  const share = EventLoopShare.of(systemClock);
  const seen = new Set<string>();
  for (const subject of subjects) {
    const fields = { [bySubject]: subject };
    const bindings = [
      ...(await reader.list(RoleBinding, { namespace, fields })),
      ...(await reader.list(ClusterRoleBinding, { fields })),
    ];
    for (const { metadata, roleRef } of bindings) {
      if (share.isUsedUp()) await share.nextTurn();
      signal?.throwIfAborted();
      const isRole = roleRef.kind === Role.kind && metadata.namespace !== undefined;
      const id = `${isRole ? "Role" : "ClusterRole"} ${roleRef.name}`;
      if (seen.has(id)) continue;
      seen.add(id);
      const { name } = roleRef;
      const role = isRole ? reader.get(Role, { namespace, name }) : reader.get(ClusterRole, { name });
      if (grantedBy(await role.catch(ignoreNotFound), use)) return true;
    }
  }
  return false;
}

const grantedBy = (role: DeepReadonly<KubeObject> | undefined, { resource, bucket }: BucketUse): boolean =>
  grants(role?.metadata.annotations?.[permissionAnnotation], resource, bucket);

type Binding = RoleBinding | ClusterRoleBinding;

/**
 * Returns the subjects as user and group names. A ServiceAccount is mapped to its user name. If it has no namespace, the binding's
 * namespace is used.
 */
function subjectsOf({ metadata, subjects = [] }: DeepReadonly<Binding>): readonly string[] {
  return subjects.flatMap(({ kind, name, namespace = metadata.namespace }) => {
    if (kind === "Group") return groupKey(name);
    if (kind === "User") return userKey(name);
    return kind === "ServiceAccount" && namespace ? userKey(`system:serviceaccount:${namespace}:${name}`) : [];
  });
}

const userKey = (name: string): string => `user ${name}`;
const groupKey = (name: string): string => `group ${name}`;
