import { WebhookClient, webhookTargetOfFile } from "@kubewright/apiserver/authentication";
import {
  AbacAuthorizer,
  type Authorizer,
  type AuthorizerConfiguration,
  accessWebhook,
  allRules,
  alwaysAllow,
  alwaysDeny,
  compileMatchCondition,
  noRules,
  privilegedGroups,
  RbacAuthorizer,
  type RuleResolver,
  readAuthorizationConfiguration,
  unionAuthorizer,
  unionRuleResolver,
  unlistedRules,
} from "@kubewright/apiserver/authorization";
import { readOptionFile, statOptionFile } from "@kubewright/apiserver/server";
import type { Clock } from "@kubewright/clock";
import type { Storage } from "@kubewright/storage";
import {
  type AuthorizationMode,
  type AuthorizationOptions,
  authorizationOptionErrors,
} from "./authorization-options.ts";
import { NodeAuthorizer } from "./node.ts";
import { nodeRules, nodeSource } from "./node-source.ts";
import { rbacSource } from "./rbac-source.ts";

export type { AuthorizationMode } from "./authorization-options.ts";

export interface Authorization {
  readonly authorize: Authorizer;
  readonly rulesFor: RuleResolver;
  /** Authorizer that uses the current roles. It exists even if RBAC mode is disabled. */
  readonly rbac: RbacAuthorizer;
  /** True if RBAC mode is enabled, so the bootstrap roles are needed. */
  readonly usesRbac: boolean;
  /** Closes connections to webhooks. */
  close(): Promise<void>;
}

interface Mode {
  readonly authorize: Authorizer;
  readonly rulesFor: RuleResolver;
}

/**
 * Combines authorization modes into one authorizer, which tries them in the given order. Requests by members of
 * `system:masters` are always allowed.
 *
 * @throws {Error} with kube-apiserver's message if an option or file is not valid
 *
 * @see kubernetes pkg/kubeapiserver/authorizer Config.New
 */
export function authorizationOf(
  options: AuthorizationOptions | readonly AuthorizationMode[],
  storage: Storage,
  clock: Clock,
): Authorization {
  const settings: AuthorizationOptions = isModes(options) ? { authorizationModes: options } : options;
  const errors = authorizationOptionErrors(settings);
  if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
  const chain = chainOf(settings);
  const rbac = new RbacAuthorizer(rbacSource(storage));
  const clients: WebhookClient[] = [];
  const modes = chain.map((authorizer) => ({
    name: authorizer.name,
    mode: modeOf(authorizer, { settings, storage, clock, rbac, clients }),
  }));
  return {
    authorize: unionAuthorizer([
      { name: "kubernetes.io/system-privileged-group", authorize: privilegedGroups("system:masters") },
      ...modes.map(({ name, mode }) => ({ name, authorize: mode.authorize })),
    ]),
    rulesFor: unionRuleResolver(modes.map(({ mode }) => mode.rulesFor)),
    rbac,
    usesRbac: chain.some(({ type }) => type === "RBAC"),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

const isModes = (
  options: AuthorizationOptions | readonly AuthorizationMode[],
): options is readonly AuthorizationMode[] => Array.isArray(options);

function chainOf(settings: AuthorizationOptions): readonly AuthorizerConfiguration[] {
  if (settings.authorizationConfig) return readAuthorizationConfiguration(readOptionFile(settings.authorizationConfig));
  return (settings.authorizationModes ?? ["AlwaysAllow"]).map((type) => ({ type, name: type.toLowerCase() }));
}

interface ModeParts {
  readonly settings: AuthorizationOptions;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly rbac: RbacAuthorizer;
  readonly clients: WebhookClient[];
}

function modeOf(authorizer: AuthorizerConfiguration, parts: ModeParts): Mode {
  const { settings, storage, rbac } = parts;
  switch (authorizer.type) {
    case "AlwaysAllow":
      return { authorize: alwaysAllow, rulesFor: allRules };
    case "RBAC":
      return rbac;
    case "Node":
      return new NodeAuthorizer(nodeSource(storage), nodeRules);
    case "ABAC":
      return abacOf(settings.authorizationPolicyFile ?? "");
    case "Webhook":
      return webhookOf(authorizer, parts);
    default:
      return { authorize: alwaysDeny, rulesFor: noRules };
  }
}

const invalid = "invalid authorization config: ";

function abacOf(path: string): AbacAuthorizer {
  const text = readOptionFile(path, invalid);
  try {
    return new AbacAuthorizer(path, text);
  } catch (cause) {
    throw new Error(`${invalid}${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function webhookOf({ webhook }: AuthorizerConfiguration, { settings, clock, clients }: ModeParts): Mode {
  const path = webhook?.kubeConfigFile ?? settings.authorizationWebhookConfigFile ?? "";
  statOptionFile(path, invalid);
  const client = new WebhookClient(webhookTargetOfFile(path), clock, webhook && { timeoutMs: webhook.timeoutMs });
  clients.push(client);
  return {
    authorize: accessWebhook({
      client,
      clock,
      version: webhook?.version ?? settings.authorizationWebhookVersion ?? "v1beta1",
      authorizedTtlMs: webhook?.authorizedTtlMs ?? settings.authorizationWebhookCacheAuthorizedTtlMs ?? 300_000,
      unauthorizedTtlMs: webhook?.unauthorizedTtlMs ?? settings.authorizationWebhookCacheUnauthorizedTtlMs ?? 30_000,
      failurePolicy: webhook?.failurePolicy ?? "NoOpinion",
      matchConditions: (webhook?.matchConditions ?? []).map(compileMatchCondition),
    }),
    rulesFor: unlistedRules("webhook authorizer does not support user rule resolution"),
  };
}
