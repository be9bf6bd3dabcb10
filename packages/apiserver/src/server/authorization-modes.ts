import {
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  privilegedGroups,
  unionAuthorizer,
} from "../authorization/authorizer.ts";
import { RbacAuthorizer } from "../authorization/rbac.ts";
import { allRules, type RuleResolver } from "../authorization/rules.ts";
import type { Storage } from "../storage/storage.ts";
import { rbacSource } from "./rbac-source.ts";

export type AuthorizationMode = "AlwaysAllow" | "AlwaysDeny" | "RBAC";

export interface Authorization {
  readonly authorize: Authorizer;
  readonly rulesFor: RuleResolver;
}

/** The modes as one authorizer, in their order; `system:masters` come before all of them. */
export function authorizationOf(modes: readonly AuthorizationMode[], storage: Storage): Authorization {
  const rbac = new RbacAuthorizer(rbacSource(storage));
  const authorizers: Readonly<Record<AuthorizationMode, Authorizer>> = {
    AlwaysAllow: alwaysAllow,
    AlwaysDeny: alwaysDeny,
    RBAC: rbac.authorize,
  };
  return {
    authorize: unionAuthorizer([privilegedGroups("system:masters"), ...modes.map((mode) => authorizers[mode])]),
    rulesFor: modes.includes("AlwaysAllow") ? allRules : rbac.rulesFor,
  };
}
