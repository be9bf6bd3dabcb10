import type { RequestUser } from "../authentication/user/user-info.ts";
import type { AuthorizationAttributes } from "./authorizer.ts";

/**
 * A rule in a role, which grants permissions. In each list, `*` matches everything.
 *
 * @see kubernetes rbac/v1 PolicyRule
 */
export interface RbacRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  /** Plural resource names, and subresources such as `pods/log`. `*` before the slash matches all resources. */
  readonly resources?: readonly string[] | undefined;
  /** Object names. If absent or empty, every name matches. A rule with names does not match requests without a name, such as lists. */
  readonly resourceNames?: readonly string[] | undefined;
  /** Non-resource paths, which may end in `*`, such as `/metrics*`. */
  readonly nonResourceURLs?: readonly string[] | undefined;
}

/** A user's permissions, as far as the authorizers can list them. */
export interface ResolvedRules {
  readonly rules: readonly RbacRule[];
  /** True if the user may have additional permissions. */
  readonly incomplete: boolean;
  /** Reason why the list is incomplete. */
  readonly error?: string | undefined;
}

/** Returns all permissions that a user has in a namespace. */
export type RuleResolver = (user: RequestUser, namespace: string) => Promise<ResolvedRules>;

/** Returns a resolver that combines the rules from several authorization modes. @see apiserver pkg/authorization/union */
export function unionRuleResolver(resolvers: readonly RuleResolver[]): RuleResolver {
  return async (user, namespace) => {
    const resolved = await Promise.all(resolvers.map((resolve) => resolve(user, namespace)));
    const errors = resolved.flatMap(({ error }) => (error ? [error] : []));
    return {
      rules: resolved.flatMap(({ rules }) => rules),
      incomplete: resolved.some(({ incomplete }) => incomplete),
      ...(errors.length === 0 ? {} : { error: errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]` }),
    };
  };
}

/** Returns a resolver for an authorization mode that cannot list its rules. */
export const unlistedRules =
  (error: string): RuleResolver =>
  async () => ({ rules: [], incomplete: true, error });

/** A resolver that returns no rules. */
export const noRules: RuleResolver = async () => ({ rules: [], incomplete: false });

/** A resolver that returns rules that allow everything. */
export const allRules: RuleResolver = async () => ({
  rules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
  incomplete: false,
});

/** Reports whether a single rule allows an action. @see kubernetes plugin/pkg/auth/authorizer/rbac RuleAllows */
export function ruleAllows(rule: RbacRule, attributes: AuthorizationAttributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest)
    return (rule.nonResourceURLs ?? []).some((pattern) => urlMatches(pattern, attributes.path));
  const { group, resource, subresource, name } = attributes;
  return (
    hasOrAll(rule.apiGroups ?? [], group) &&
    resourceMatches(rule.resources ?? [], resource, subresource) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  );
}

const hasOrAll = (list: readonly string[], value: string): boolean => list.includes("*") || list.includes(value);

function resourceMatches(allowed: readonly string[], resource: string, subresource: string): boolean {
  if (allowed.includes("*")) return true;
  if (subresource === "") return allowed.includes(resource);
  return allowed.includes(`${resource}/${subresource}`) || allowed.includes(`*/${subresource}`);
}

function urlMatches(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1));
}
