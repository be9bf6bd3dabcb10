import type { Kind, Scope } from "../object/kind.ts";
import { describedResource } from "./described-resource.ts";

/**
 * An RBAC verb. The last three do not correspond to requests: `bind` allows users to bind a role that grants
 * permissions that they do not have, `escalate` to write such a role, and `impersonate` to act as a different user.
 */
export type PermissionVerb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "bind"
  | "escalate"
  | "impersonate";

/** A permission that a program needs for a resource. */
export interface Permission {
  /** API group. Empty for the core group. */
  readonly group: string;
  /** Plural name of the resource. For a subresource, a slash and its name follow, as in `pods/log`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Names of the objects to which the permission is limited. Default: all objects. */
  readonly resourceNames?: readonly string[] | undefined;
  /** Namespace to which the permission is limited. Default: all namespaces that the program watches. */
  readonly namespace?: string | undefined;
  readonly scope?: Scope | undefined;
}

/** Options that limit a permission from {@link permissionFor}. */
export interface PermissionOptions {
  /** Subresource, such as `status` or `log`. Default: the object itself. */
  readonly subResource?: string | undefined;
  /**
   * Names of the objects to which the permission is limited. Default: all objects. Has no effect on `create`, `list`, `watch` and
   * `deletecollection`, which roles cannot limit by name.
   */
  readonly names?: readonly string[] | undefined;
  /** Namespace to which the permission is limited. Default: all namespaces that the program watches. */
  readonly namespace?: string | undefined;
}

/**
 * Returns a permission for the given verbs on a kind.
 *
 * @throws {Error} if `verbs` is empty, or if a verb or a name contains a wildcard
 */
export function permissionFor(
  kind: Kind,
  verbs: readonly PermissionVerb[],
  { subResource, names, namespace }: PermissionOptions = {},
): Permission {
  const { group, plural, scope } = describedResource(kind);
  if (verbs.length === 0)
    throw new Error(`needs ${kind.kind}: verbs: the list is empty; set it to verbs such as ["get"]`);
  const given: readonly string[] = [...verbs, ...(names ?? [])];
  const wild = given.find((value) => value.includes("*"));
  if (wild !== undefined)
    throw new Error(`needs ${kind.kind}: ${JSON.stringify(wild)}: wildcards are not allowed; list each required value`);
  return {
    group,
    resource: subResource ? `${plural}/${subResource}` : plural,
    verbs: [...verbs],
    ...(names ? { resourceNames: [...names] } : {}),
    ...(namespace === undefined ? {} : { namespace }),
    scope,
  };
}
