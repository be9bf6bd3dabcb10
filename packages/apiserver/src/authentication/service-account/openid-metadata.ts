import type { VerifyingKey } from "./signing-keys.ts";

/** Path of the issuer's configuration, as defined by OpenID Connect Discovery. */
export const openIdConfigurationPath = "/.well-known/openid-configuration";
/** Path of the JSON Web Key Set for verifying ServiceAccount tokens. */
export const keySetPath = "/openid/v1/jwks";

/** Documents that third parties need to verify ServiceAccount tokens. @see kubernetes pkg/serviceaccount/openidmetadata.go */
export interface OpenIdMetadata {
  readonly configuration: string;
  readonly keySet: string;
}

/**
 * Returns the documents for an issuer and its keys. Returns `undefined` if the issuer is not an `https` URL, because,
 * as in upstream, the documents are then not served.
 */
export function openIdMetadata(
  issuer: string,
  keySetUri: string,
  keys: readonly VerifyingKey[],
): OpenIdMetadata | undefined {
  if (!URL.canParse(issuer)) return undefined;
  const { protocol, search, hash } = new URL(issuer);
  if (protocol !== "https:" || search !== "" || hash !== "") return undefined;
  return {
    configuration: JSON.stringify({
      issuer,
      jwks_uri: keySetUri,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
    }),
    keySet: JSON.stringify({ keys: keys.map(webKey) }),
  };
}

function webKey({ key, id, algorithm }: VerifyingKey): Record<string, unknown> {
  const { kty, crv, x, y, n, e } = key.export({ format: "jwk" });
  return { use: "sig", kty, kid: id, ...(crv ? { crv } : {}), alg: algorithm, ...(crv ? { x, y } : { n, e }) };
}
