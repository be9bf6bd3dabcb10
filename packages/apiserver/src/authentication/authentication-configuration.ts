import {
  aggregateFieldErrors,
  type FieldError,
  fieldError,
  fieldPath,
  isRecord,
  quote,
} from "@kubewright/apimachinery";
import { ConfigurationReader } from "./configuration-reader.ts";
import { authorityErrors, issuerErrors, urlErrors } from "./issuer-validation.ts";
import {
  type ClaimExpression,
  type ClaimMapping,
  type JwtAuthenticatorConfig,
  signingAlgorithms,
} from "./oidc/jwt-authenticator-config.ts";

/** Contents of an `AuthenticationConfiguration`. @see apiserver pkg/apis/apiserver AuthenticationConfiguration */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticatorConfig[];
  /** Setting for anonymous requests; absent if the file does not contain it. */
  readonly anonymous?: { readonly enabled: boolean; readonly paths?: readonly string[] | undefined } | undefined;
}

const shape = {
  apiVersion: true,
  kind: true,
  anonymous: { enabled: true, conditions: [{ path: true }] },
  jwt: [
    {
      issuer: {
        url: true,
        discoveryURL: true,
        certificateAuthority: true,
        audiences: true,
        audienceMatchPolicy: true,
        egressSelectorType: true,
      },
      claimValidationRules: [{ claim: true, requiredValue: true, expression: true, message: true }],
      claimMappings: {
        username: { claim: true, prefix: true, expression: true },
        groups: { claim: true, prefix: true, expression: true },
        uid: { claim: true, expression: true },
        extra: [{ key: true, valueExpression: true }],
      },
      userValidationRules: [{ expression: true, message: true }],
    },
  ],
} as const;

const maxAuthenticators = 64;

/**
 * Parses an `AuthenticationConfiguration`.
 *
 * @param text contents of the file
 * @throws {Error} with kube-apiserver's message if the text cannot be parsed or the configuration is not valid
 */
export function readAuthenticationConfiguration(
  path: string,
  text: string,
  serviceAccountIssuers: readonly string[],
): AuthenticationConfiguration {
  const reader = new ConfigurationReader("AuthenticationConfiguration", ["v1", "v1beta1", "v1alpha1"], shape);
  let config: Record<string, unknown>;
  try {
    config = reader.read(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`failed to load authentication configuration from file ${quote(path)}: ${why}`, { cause });
  }
  const jwt = listOf(config.jwt);
  if (jwt.length > maxAuthenticators) refuse([fieldError.tooMany("jwt", jwt.length, maxAuthenticators)]);
  const errors = jwt.flatMap((issuer, i) => issuerErrors(issuer, jwt.slice(0, i), serviceAccountIssuers, i));
  const { anonymous } = config;
  if (isRecord(anonymous) && anonymous.enabled !== true && listOf(anonymous.conditions).length > 0)
    errors.push(
      fieldError.invalid(
        "anonymous.conditions",
        listOf(anonymous.conditions).map(({ path }) => ({ Path: path })),
        "enabled should be set to true when conditions are defined",
      ),
    );
  refuse(errors);
  return {
    jwt: jwt.map(authenticatorOf),
    ...(isRecord(anonymous) ? { anonymous: anonymousOf(anonymous) } : {}),
  };
}

/**
 * Validates a token issuer's configuration that was given with the `--oidc-*` options.
 *
 * @throws {Error} if the issuer is not valid
 */
export function checkJwtAuthenticator({ issuer }: JwtAuthenticatorConfig): void {
  refuse([
    ...urlErrors(issuer.url, [], fieldPath("jwt").index(0).child("issuer", "url")),
    ...authorityErrors(issuer.certificateAuthority ?? "", fieldPath("jwt").index(0).child("issuer")),
  ]);
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new Error(`invalid authentication configuration: ${aggregateFieldErrors(errors)}`);
}

type Members = Record<string, unknown>;
const listOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const membersOf = (value: unknown): Members => (isRecord(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function authenticatorOf(members: Members): JwtAuthenticatorConfig {
  const { url, discoveryURL, certificateAuthority, audiences } = membersOf(members.issuer);
  const { username, groups, uid, extra } = membersOf(members.claimMappings);
  const mappingOf = (value: unknown): ClaimMapping | ClaimExpression => {
    const { claim, prefix, expression } = membersOf(value);
    return expression ? { expression: textOf(expression) } : { claim: textOf(claim), prefix: textOf(prefix) };
  };
  const isSet = (value: unknown): boolean => Boolean(membersOf(value).claim || membersOf(value).expression);
  return {
    issuer: {
      url: textOf(url),
      ...(discoveryURL ? { discoveryURL: textOf(discoveryURL) } : {}),
      ...(certificateAuthority ? { certificateAuthority: textOf(certificateAuthority) } : {}),
      audiences: Array.isArray(audiences) ? audiences.map(textOf) : [],
    },
    claimValidationRules: listOf(members.claimValidationRules).map(({ claim, requiredValue, expression, message }) =>
      expression
        ? { expression: textOf(expression), message: textOf(message) }
        : { claim: textOf(claim), requiredValue: textOf(requiredValue) },
    ),
    claimMappings: {
      username: mappingOf(username),
      ...(isSet(groups) ? { groups: mappingOf(groups) } : {}),
      ...(isSet(uid) ? { uid: mappingOf(uid) } : {}),
      extra: listOf(extra).map(({ key, valueExpression }) => ({
        key: textOf(key),
        valueExpression: textOf(valueExpression),
      })),
    },
    userValidationRules: listOf(members.userValidationRules).map(({ expression, message }) => ({
      expression: textOf(expression),
      message: textOf(message),
    })),
    signingAlgs: signingAlgorithms,
  };
}

function anonymousOf({ enabled, conditions }: Members): NonNullable<AuthenticationConfiguration["anonymous"]> {
  const paths = listOf(conditions).map(({ path }) => textOf(path));
  return { enabled: enabled === true, ...(paths.length > 0 ? { paths } : {}) };
}
