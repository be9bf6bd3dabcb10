import type { AuthorizationOptions } from "@kubewright/kube-apiserver";
import type { FlagValues } from "../flags/flag-values.ts";
import { asMilliseconds, asText, type OptionReaders } from "./option-readers.ts";

type Modes = NonNullable<AuthorizationOptions["authorizationModes"]>;

/**
 * Returns the authorization modes in a flag. The cast is safe, because `authorizationOptionErrors` refuses unknown modes before anything
 * starts.
 */
const asModes = (values: FlagValues, flag: string): Modes => values.list(flag) as unknown[] as Modes;

export const authorizationFlags: OptionReaders<AuthorizationOptions> = {
  authorizationModes: ["authorization-mode", asModes],
  authorizationConfig: ["authorization-config", asText],
  authorizationPolicyFile: ["authorization-policy-file", asText],
  authorizationWebhookConfigFile: ["authorization-webhook-config-file", asText],
  authorizationWebhookVersion: ["authorization-webhook-version", asText],
  authorizationWebhookCacheAuthorizedTtlMs: ["authorization-webhook-cache-authorized-ttl", asMilliseconds],
  authorizationWebhookCacheUnauthorizedTtlMs: ["authorization-webhook-cache-unauthorized-ttl", asMilliseconds],
};
