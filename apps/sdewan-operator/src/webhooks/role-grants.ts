import type { DeepReadonly, Kind, KubeObject } from "@kubewright/apimachinery";
import { ignoreNotFound } from "@kubewright/apimachinery";
import type { CachedKindOptions } from "@kubewright/cache";
import type { Reader } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@kubewright/client/kinds";
import { EventLoopShare, systemClock } from "@kubewright/clock";
import type { UserInfo } from "@kubewright/webhook";
import { grants, permissionAnnotation } from "./bucket-grant.ts";

/** The subjects of a binding, as a field that lists select by. */
const bySubject = "kubewright.dev/subject";

/** What of the cluster's roles decides: bindings, found by their subjects, and the annotations of roles. */
export const roleKinds = [Role, ClusterRole, RoleBinding, ClusterRoleBinding] as const;

/** What {@link indexRoles} needs of a cache. */
export interface RoleCache {
  indexField<T extends KubeObject>(
    kind: Kind<T>,
    field: string,
    extract: (object: DeepReadonly<T>) => readonly string[],
  ): void;
  configure<T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T>): void;
}

/** Has bindings found by their subjects, and of roles only their metadata kept. */
export function indexRoles(cache: RoleCache): void {
  cache.indexField(RoleBinding, bySubject, subjectsOf);
  cache.indexField(ClusterRoleBinding, bySubject, subjectsOf);
  cache.configure(Role, { transform: ({ rules: _, ...role }) => role });
  cache.configure(ClusterRole, { transform: ({ rules: _, aggregationRule: _rule, ...role }) => role });
}

/** Who wants to use a bucket, and for what. */
export interface BucketUse {
  readonly user: UserInfo;
  readonly namespace: string;
  /** A plural. */
  readonly resource: string;
  readonly bucket: string;
}

/**
 * Whether a role that a user has in a namespace grants a bucket. Each role is looked at once; however many there are, all else that is to do
 * gets its turn in between.
 *
 * @throws the signal's reason, once nobody waits for the answer
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

/** A ServiceAccount is the user of its name; without a namespace, in that of the binding. */
function subjectsOf({ metadata, subjects = [] }: DeepReadonly<Binding>): readonly string[] {
  return subjects.flatMap(({ kind, name, namespace = metadata.namespace }) => {
    if (kind === "Group") return groupKey(name);
    if (kind === "User") return userKey(name);
    return kind === "ServiceAccount" && namespace ? userKey(`system:serviceaccount:${namespace}:${name}`) : [];
  });
}

const userKey = (name: string): string => `user ${name}`;
const groupKey = (name: string): string => `group ${name}`;
