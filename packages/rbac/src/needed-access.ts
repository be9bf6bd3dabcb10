import { grantsOf } from "./grants.ts";
import type { ProgramDescription } from "./program-description.ts";
import { type RbacOptions, rbacOf } from "./program-roles.ts";

/** A permission that a program needs, with the same fields as an access review. */
export interface NeededAccess {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Plural name of the resource. */
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly verb: string;
  /** Name of the object. If undefined, the permission applies to all objects. */
  readonly name?: string | undefined;
  /** Namespace of the objects. If undefined, the permission applies to all namespaces. */
  readonly namespace?: string | undefined;
}

/** Files with the roles that are bound to the program itself. All other roles are for its users. */
const ownRoles = [
  "role.yaml",
  "leader_election_role.yaml",
  "sharding_role.yaml",
  "metrics_auth_role.yaml",
  "console_auth_role.yaml",
];

/**
 * Returns each permission that a program's own roles must grant.
 *
 * @param namespace the program's namespace
 */
export function neededAccess(
  description: ProgramDescription,
  namespace: string,
  options: RbacOptions = {},
): NeededAccess[] {
  // It does not matter which role grants a permission.
  const { objects } = rbacOf(description, { ...options, apart: undefined });
  return ownRoles
    .flatMap((file) => objects.get(file) ?? [])
    .flatMap(({ metadata, rules }) => {
      const at = metadata.namespace === "system" ? namespace : metadata.namespace;
      return policyRules(rules).flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            grantsOf({ group, resource, verbs, resourceNames }).map(({ verb, name }): NeededAccess => {
              const [plural = "", subresource] = resource.split("/");
              return {
                group,
                resource: plural,
                ...(subresource === undefined ? {} : { subresource }),
                verb,
                ...(name === undefined ? {} : { name }),
                ...(at === undefined ? {} : { namespace: at }),
              };
            }),
          ),
        ),
      );
    });
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Returns the rules about resources, which `rulesOf` created. */
const policyRules = (rules: unknown): readonly Rule[] =>
  Array.isArray(rules) ? rules.filter((rule: object): rule is Rule => "resources" in rule) : [];
