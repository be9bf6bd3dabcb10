import type { Kind, Scope } from "../object/kind.ts";
import { describedResource } from "./described-resource.ts";

/**
 * What may be done with a resource, in RBAC's words. The last three are no requests: who binds others to a role that grants more than they
 * have needs `bind` on it, who writes such a role `escalate`, and who acts as somebody else `impersonate`.
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

/** What a program may have to do with a resource. */
export interface Permission {
  /** Empty for the core group. */
  readonly group: string;
  /** The plural, and the subresource after a slash, if it is one: `pods/log`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Only objects of these names. Default: all. */
  readonly resourceNames?: readonly string[] | undefined;
  /** Only in this namespace. Default: in all that the program reads. */
  readonly namespace?: string | undefined;
  readonly scope?: Scope | undefined;
}

/** What narrows {@link permissionFor}. */
export interface PermissionOptions {
  /** Such as `status` or `log`. Default: the object itself. */
  readonly subResource?: string | undefined;
  /** Only objects of these names. Default: all. Of no effect on `create`, `list`, `watch` and `deletecollection`, which roles cannot so limit. */
  readonly names?: readonly string[] | undefined;
  /** Only in this namespace. Default: in all that the program reads. */
  readonly namespace?: string | undefined;
}

/**
 * Verbs on a kind, as a permission.
 *
 * @throws {Error} if no verb is named, or one or a name is a wildcard: roles say what they mean
 */
export function permissionFor(
  kind: Kind,
  verbs: readonly PermissionVerb[],
  { subResource, names, namespace }: PermissionOptions = {},
): Permission {
  const { group, plural, scope } = describedResource(kind);
  if (verbs.length === 0) throw new Error(`needs ${kind.kind}: verbs: [] names none; say which, such as ["get"]`);
  const given: readonly string[] = [...verbs, ...(names ?? [])];
  const wild = given.find((value) => value.includes("*"));
  if (wild !== undefined) throw new Error(`needs ${kind.kind}: ${JSON.stringify(wild)}: name what is needed, not all`);
  return {
    group,
    resource: subResource ? `${plural}/${subResource}` : plural,
    verbs: [...verbs],
    ...(names ? { resourceNames: [...names] } : {}),
    ...(namespace === undefined ? {} : { namespace }),
    scope,
  };
}
