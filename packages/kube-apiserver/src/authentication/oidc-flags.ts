import { quote } from "@kubewright/apimachinery";
import { type JwtAuthenticatorConfig, signingAlgorithms } from "@kubewright/apiserver/authentication";
import type { AuthenticationOptions } from "./authentication-options.ts";

/**
 * Returns the issuer that the `oidc…` options define, or `undefined` if there is none.
 *
 * @param certificateAuthority content of the CA file
 *
 * @throws {Error} with kube-apiserver's message if an algorithm is not supported
 */
export function jwtAuthenticatorOfFlags(
  options: AuthenticationOptions,
  certificateAuthority: string | undefined,
): JwtAuthenticatorConfig | undefined {
  const { oidcIssuerUrl: url, oidcClientId: clientId, oidcGroupsClaim, oidcUsernameClaim = "sub" } = options;
  if (!url || !clientId) return undefined;
  const signingAlgs = options.oidcSigningAlgs?.length ? options.oidcSigningAlgs : ["RS256"];
  const known: readonly string[] = signingAlgorithms;
  for (const name of signingAlgs)
    if (!known.includes(name)) throw new Error(`oidc: unsupported signing alg: ${quote(name)}`);
  return {
    issuer: { url, audiences: [clientId], ...(certificateAuthority ? { certificateAuthority } : {}) },
    claimValidationRules: Object.entries(options.oidcRequiredClaim ?? {}).map(([claim, requiredValue]) => ({
      claim,
      requiredValue,
    })),
    claimMappings: {
      username: {
        claim: oidcUsernameClaim,
        prefix: usernamePrefix(url, oidcUsernameClaim, options.oidcUsernamePrefix),
      },
      ...(oidcGroupsClaim ? { groups: { claim: oidcGroupsClaim, prefix: options.oidcGroupsPrefix ?? "" } } : {}),
    },
    signingAlgs,
  };
}

/**
 * Returns the prefix for user names. A prefix is necessary because an issuer's user could otherwise have the same name
 * as another user.
 */
function usernamePrefix(issuer: string, claim: string, prefix = ""): string {
  if (prefix === "-") return "";
  return prefix === "" && claim !== "email" ? `${issuer}#` : prefix;
}
