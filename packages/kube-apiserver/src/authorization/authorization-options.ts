import { quote, quoteList } from "@kubewright/apimachinery";

/** All modes accepted by `--authorization-mode`. @see kubernetes pkg/kubeapiserver/authorizer/modes */
export const authorizationModes = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"] as const;

/** An authorization mode, as named in `--authorization-mode`. */
export type AuthorizationMode = (typeof authorizationModes)[number];

/**
 * Authorization options, named like kube-apiserver's flags, but in camel case. Options whose names end in `File` are
 * paths of files that are read at startup. If a file's content is not valid, startup fails with kube-apiserver's error.
 *
 * @see kubernetes pkg/kubeapiserver/options BuiltInAuthorizationOptions
 */
export interface AuthorizationOptions {
  /** Modes (`--authorization-mode`), tried in order. Default `["AlwaysAllow"]`. */
  readonly authorizationModes?: readonly AuthorizationMode[] | undefined;
  /** File with an `AuthorizationConfiguration`. Cannot be combined with the other options. */
  readonly authorizationConfig?: string | undefined;
  /** File with the policies for mode ABAC, one JSON object per line. */
  readonly authorizationPolicyFile?: string | undefined;
  /** Kubeconfig that specifies where mode Webhook sends SubjectAccessReviews. */
  readonly authorizationWebhookConfigFile?: string | undefined;
  /** API version of the SubjectAccessReviews that are sent. Default `v1beta1`. */
  readonly authorizationWebhookVersion?: string | undefined;
  /** Time for which a webhook's approval is cached, in milliseconds. Default 300000. */
  readonly authorizationWebhookCacheAuthorizedTtlMs?: number | undefined;
  /** Time for which a webhook's refusal is cached, in milliseconds. Default 30000. */
  readonly authorizationWebhookCacheUnauthorizedTtlMs?: number | undefined;
}

/**
 * Returns the errors in authorization options, with kube-apiserver's messages. The result is empty if the options are
 * valid. Does not read any files.
 *
 * @see kubernetes pkg/kubeapiserver/options BuiltInAuthorizationOptions.Validate
 */
export function authorizationOptionErrors(options: AuthorizationOptions): string[] {
  const { authorizationPolicyFile: policyFile, authorizationWebhookConfigFile: webhookFile } = options;
  if (options.authorizationConfig) {
    const { authorizationConfig: _config, ...others } = options;
    return Object.values(others).every((value) => value === undefined)
      ? []
      : [
          "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
        ];
  }
  const modes: readonly string[] = options.authorizationModes ?? ["AlwaysAllow"];
  const known: readonly string[] = authorizationModes;
  return [
    ...(modes.length === 0 ? ["at least one authorization-mode must be passed"] : []),
    ...modes.flatMap((mode) => [
      ...(known.includes(mode) ? [] : [`authorization-mode ${quote(mode)} is not a valid mode`]),
      ...(mode === "ABAC" && !policyFile ? ["authorization-mode ABAC's authorization policy file not passed"] : []),
      ...(mode === "Webhook" && !webhookFile
        ? ["authorization-mode Webhook's authorization config file not passed"]
        : []),
    ]),
    ...(policyFile && !modes.includes("ABAC") ? ["cannot specify --authorization-policy-file without mode ABAC"] : []),
    ...(webhookFile && !modes.includes("Webhook")
      ? ["cannot specify --authorization-webhook-config-file without mode Webhook"]
      : []),
    ...(new Set(modes).size === modes.length
      ? []
      : [`authorization-mode ${quoteList(modes)} has mode specified more than once`]),
  ];
}
