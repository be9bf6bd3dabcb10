export { AbacAuthorizer } from "./abac.ts";
export {
  type AuthorizationWebhookConfiguration,
  type AuthorizerConfiguration,
  readAuthorizationConfiguration,
} from "./authorization-configuration.ts";
export {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  forbiddenRequest,
  privilegedGroups,
  type SelectorRequirement,
  unionAuthorizer,
} from "./authorizer.ts";
export { escalationRefusal } from "./escalation.ts";
export { compileMatchCondition } from "./match-conditions.ts";
export type { RbacBinding, RbacRole, RbacSubject, RoleRef } from "./rbac.ts";
export { RbacAuthorizer, type RbacSource } from "./rbac.ts";
export type { ResolvedRules } from "./rules.ts";
export {
  allRules,
  noRules,
  type RbacRule,
  type RuleResolver,
  ruleAllows,
  unionRuleResolver,
  unlistedRules,
} from "./rules.ts";
export type { AccessWebhookOptions } from "./webhook.ts";
export { accessWebhook } from "./webhook.ts";
