import { isRecord, notFound } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../../registry/resource.ts";
import type { Identity } from "../authenticator.ts";
import type { TokenAuthenticator } from "../bearer-token.ts";
import type { ObjectLookup } from "../object-lookup.ts";
import { serviceAccountOf, serviceAccountUser } from "./service-account-user.ts";
import { commonAudiences } from "./token-authenticator.ts";
import { legacyIssuer } from "./token-signer.ts";
import { unverifiedPart, type VerifiedClaims, type VerifiedTokens } from "./verified-tokens.ts";

/** Options for ServiceAccount tokens that are stored in Secrets and do not expire. */
export interface LegacyTokenOptions {
  readonly tokens: VerifiedTokens;
  readonly apiAudiences: readonly string[];
  readonly lookup: ObjectLookup;
  /** True to reject tokens whose service account or Secret no longer exists. */
  readonly mustExist: boolean;
  /** Called each time a client uses the token of a Secret. */
  readonly onUse?: ((secret: ReadonlyObject) => void) | undefined;
}

const claimNames = {
  namespace: "kubernetes.io/serviceaccount/namespace",
  secretName: "kubernetes.io/serviceaccount/secret.name",
  serviceAccountName: "kubernetes.io/serviceaccount/service-account.name",
  serviceAccountUID: "kubernetes.io/serviceaccount/service-account.uid",
} as const;
const invalidSince = "kubernetes.io/legacy-token-invalid-since";

/**
 * Returns an authenticator for tokens from Secrets of the type `kubernetes.io/service-account-token`.
 *
 * @see kubernetes pkg/serviceaccount NewLegacyValidator
 */
export function legacyTokenAuthenticator(options: LegacyTokenOptions): TokenAuthenticator {
  return async (token, wanted) => {
    if (unverifiedPart(token, 1)?.iss !== legacyIssuer) return undefined;
    const claims = options.tokens.claims(token);
    const audiences = commonAudiences(options.apiAudiences, wanted);
    const account = readClaims(claims);
    const warnings = options.mustExist ? await checkObjects(token, account, options) : [];
    const { namespace, serviceAccountName: name, serviceAccountUID: uid } = account;
    const identity: Identity = { user: serviceAccountUser({ namespace, name, uid }), audiences };
    return warnings.length > 0 ? { ...identity, warnings } : identity;
  };
}

type LegacyClaims = Readonly<Record<keyof typeof claimNames, string>>;

function readClaims(claims: VerifiedClaims): LegacyClaims {
  if (typeof claims.sub !== "string" || claims.sub === "") throw new Error("sub claim is missing");
  const read = (name: keyof typeof claimNames): string => {
    const value = claims[claimNames[name]];
    if (typeof value !== "string" || value === "") throw new Error(`${name} claim is missing`);
    return value;
  };
  const found = {
    namespace: read("namespace"),
    secretName: read("secretName"),
    serviceAccountName: read("serviceAccountName"),
    serviceAccountUID: read("serviceAccountUID"),
  };
  const subject = serviceAccountOf(claims.sub);
  if (subject?.namespace !== found.namespace || subject.name !== found.serviceAccountName)
    throw new Error("sub claim is invalid");
  return found;
}

async function checkObjects(
  token: string,
  { namespace, secretName, serviceAccountName, serviceAccountUID }: LegacyClaims,
  { lookup, onUse }: LegacyTokenOptions,
): Promise<string[]> {
  const secret = await lookup("", "secrets", namespace, secretName);
  if (!secret || secret.metadata.deletionTimestamp) throw new Error("Token has been invalidated");
  const held = isRecord(secret.data) ? secret.data.token : undefined;
  if (typeof held !== "string" || Buffer.from(held, "base64").toString("utf8") !== token)
    throw new Error("Token does not match server's copy");
  const account = await lookup("", "serviceaccounts", namespace, serviceAccountName);
  if (!account) throw notFound({ group: "", resource: "serviceaccounts" }, serviceAccountName);
  if (account.metadata.deletionTimestamp)
    throw new Error(`ServiceAccount ${namespace}/${serviceAccountName} has been deleted`);
  if (account.metadata.uid !== serviceAccountUID)
    throw new Error(`ServiceAccount UID (${account.metadata.uid ?? ""}) does not match claim (${serviceAccountUID})`);
  if (secret.metadata.labels?.[invalidSince])
    throw new Error(
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${serviceAccountName} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
    );
  onUse?.(secret);
  const listed = Array.isArray(account.secrets) ? account.secrets : [];
  if (!listed.some((one) => isRecord(one) && one.name === secretName)) return [];
  return [
    "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.",
  ];
}
