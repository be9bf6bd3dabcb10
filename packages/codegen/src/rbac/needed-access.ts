import type { ProgramDescription } from "../description/program-description.ts";
import { grantsOf } from "./grants.ts";
import { type RbacOptions, rbacOf } from "./rbac-files.ts";

/** One thing that a program does, in the words of an access review. */
export interface NeededAccess {
  /** Empty for the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly verb: string;
  /** Of the one object that is needed. Absent: any. */
  readonly name?: string | undefined;
  /** Absent: everywhere. */
  readonly namespace?: string | undefined;
}

/** Roles that the program itself is bound to; others are for its users. */
const ownRoles = ["role.yaml", "leader_election_role.yaml", "metrics_auth_role.yaml", "console_auth_role.yaml"];

/**
 * Everything that a program's own roles are to permit, one by one.
 *
 * @param namespace where it runs
 */
export function neededAccess(
  description: ProgramDescription,
  namespace: string,
  options: RbacOptions = {},
): NeededAccess[] {
  // Whichever role grants it.
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

/** Rules about resources, as `rulesOf` makes them. */
const policyRules = (rules: unknown): readonly Rule[] =>
  Array.isArray(rules) ? rules.filter((rule: object): rule is Rule => "resources" in rule) : [];
