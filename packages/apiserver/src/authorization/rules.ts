import type { UserInfo } from "../authentication/user/user-info.ts";
import type { AuthorizationAttributes } from "./authorizer.ts";

/** What a role allows; `*` stands for all. @see kubernetes rbac/v1 PolicyRule */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  /** Plurals and `pods/log`; a subresource of all has `*` before its slash. */
  readonly resources?: readonly string[];
  /** Absent or empty: all. Names nothing on requests without a name, such as lists. */
  readonly resourceNames?: readonly string[];
  /** Paths, which may end in `*`: `/metrics*`. */
  readonly nonResourceURLs?: readonly string[];
}

/** What a user may do, as far as it can be listed. */
interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  /** There may be more. */
  readonly incomplete: boolean;
  /** Why. */
  readonly error?: string;
}

/** Everything a user may do in a namespace. */
export type RuleResolver = (user: UserInfo, namespace: string) => Promise<ResolvedRules>;

/** The rules of several modes together. @see apiserver pkg/authorization/union */
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

/** For modes that decide without a list of rules. */
export const unlistedRules =
  (error: string): RuleResolver =>
  async () => ({ rules: [], incomplete: true, error });

/** Where nobody may do anything. */
export const noRules: RuleResolver = async () => ({ rules: [], incomplete: false });

/** Where whoever asks may do everything. */
export const allRules: RuleResolver = async () => ({
  rules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
  incomplete: false,
});

/** Whether a rule by itself allows what is asked. @see kubernetes plugin/pkg/auth/authorizer/rbac RuleAllows */
export function ruleAllows(rule: PolicyRule, attributes: AuthorizationAttributes): boolean {
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
