import { quote, setOwnMember } from "@kubewright/apimachinery";
import type { CelProgram } from "@kubewright/cel";
import { wrongType } from "@kubewright/codec";
import type { RequestUser } from "../user/user-info.ts";
import {
  compileClaimMapping,
  compileClaimRule,
  compileUserRule,
  evaluateClaims,
  evaluateUser,
  textsOf,
} from "./claim-expressions.ts";
import type { ClaimExpression, ClaimMapping, JwtAuthenticatorConfig } from "./jwt-authenticator-config.ts";

type Claims = Readonly<Record<string, unknown>>;
type Read<Value> = (claims: Claims) => Value;

/**
 * Returns a function that maps a token's claims to a user, as specified by the configuration.
 *
 * @throws {Error} from the returned function, if the claims do not define a valid user
 *
 * @see apiserver plugin/pkg/authenticator/token/oidc
 */
export function claimsToUser(config: JwtAuthenticatorConfig): (claims: Claims) => RequestUser {
  const { username, groups, uid, extra = [] } = config.claimMappings;
  const readName = nameReader(username);
  const readGroups = groups ? groupsReader(groups) : () => [];
  const readUid = uid ? uidReader(uid) : () => "";
  const extras = extra.map(({ key, valueExpression }) => ({ key, program: compileClaimMapping(valueExpression) }));
  const check = claimChecks(config);
  const userRules = (config.userValidationRules ?? []).map((rule) => ({
    ...rule,
    program: compileUserRule(rule.expression),
  }));
  return (claims) => {
    const id = readUid(claims);
    const found = extraOf(claims, extras);
    const user = {
      name: readName(claims),
      ...(id === "" ? {} : { uid: id }),
      groups: readGroups(claims),
      ...(Object.keys(found).length > 0 ? { extra: found } : {}),
    };
    check(claims);
    for (const { program, expression, message } of userRules)
      if (attempt("oidc: error evaluating user info validation rule", () => evaluateUser(program, user)) !== true)
        throw new Error(
          `oidc: error evaluating user info validation rule: validation expression '${expression}' failed: ${message}`,
        );
    return user;
  };
}

const isExpression = (mapping: object): mapping is ClaimExpression => "expression" in mapping;
function attempt<Value>(what: string, run: () => Value): Value {
  try {
    return run();
  } catch (cause) {
    throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function nameReader(mapping: ClaimMapping | ClaimExpression): Read<string> {
  if (!isExpression(mapping))
    return (claims) => {
      const name = textClaim(claims, mapping.claim, `oidc: parse username claims ${quote(mapping.claim)}`);
      if (mapping.claim === "email" && Object.hasOwn(claims, "email_verified") && claims.email_verified !== true)
        throw new Error("oidc: email not verified");
      return `${mapping.prefix}${name}`;
    };
  const program = compileClaimMapping(mapping.expression);
  return (claims) => {
    const name = attempt("oidc: error evaluating username claim expression", () => {
      const value = evaluateClaims(program, claims);
      if (typeof value !== "string") throw new Error("username claim expression must return a string");
      return value;
    });
    if (name === "") throw new Error("oidc: empty username via CEL expression is not allowed");
    return name;
  };
}

function groupsReader(mapping: ClaimMapping | ClaimExpression): Read<readonly string[]> {
  if (!isExpression(mapping))
    return (claims) => groupsClaim(claims, mapping.claim).map((group) => `${mapping.prefix}${group}`);
  const program = compileClaimMapping(mapping.expression);
  return (claims) =>
    attempt("oidc: error evaluating group claim expression", () => textsOf(evaluateClaims(program, claims)));
}

function uidReader(mapping: { readonly claim: string } | ClaimExpression): Read<string> {
  if (!isExpression(mapping))
    return (claims) => textClaim(claims, mapping.claim, `oidc: parse uid claim ${quote(mapping.claim)}`);
  const program = compileClaimMapping(mapping.expression);
  return (claims) =>
    attempt("oidc: error evaluating uid claim expression", () => {
      const value = evaluateClaims(program, claims);
      if (typeof value !== "string") throw new Error("uid claim expression must return a string");
      return value;
    });
}

function extraOf(claims: Claims, extras: readonly { readonly key: string; readonly program: CelProgram }[]) {
  const extra: Record<string, readonly string[]> = {};
  if (typeof claims.jti === "string" && claims.jti !== "")
    extra["authentication.kubernetes.io/credential-id"] = [`JTI=${claims.jti}`];
  for (const { key, program } of extras) {
    const attempted = `oidc: error evaluating extra claim expression: ${program.expression}`;
    const values = attempt(attempted, () => textsOf(evaluateClaims(program, claims)));
    if (values.length > 0) setOwnMember(extra, key, values);
  }
  return extra;
}

/** Returns a function that checks a token's claims against the configured rules. */
function claimChecks({ claimValidationRules }: JwtAuthenticatorConfig): (claims: Claims) => void {
  const checks = claimValidationRules.map((rule): ((claims: Claims) => void) => {
    if (!isExpression(rule)) return (claims) => checkRequired(claims, rule.claim, rule.requiredValue);
    const program = compileClaimRule(rule.expression);
    const attempted = "oidc: error evaluating claim validation expression";
    return (claims) => {
      if (attempt(attempted, () => evaluateClaims(program, claims)) !== true)
        throw new Error(`${attempted}: validation expression '${rule.expression}' failed: ${rule.message}`);
    };
  });
  return (claims) => {
    for (const check of checks) check(claims);
  };
}

function checkRequired(claims: Claims, claim: string, requiredValue: string): void {
  if (!Object.hasOwn(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`);
  const value = textClaim(claims, claim, `oidc: parse claim ${claim}`);
  if (value !== requiredValue)
    throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
}

const isText = (value: unknown): value is string => typeof value === "string";

function textClaim(claims: Claims, name: string, attempted: string): string {
  if (!Object.hasOwn(claims, name)) throw new Error(`${attempted}: claim not present`);
  const value = claims[name];
  if (!isText(value)) throw new Error(wrongType(attempted, "string", value));
  return value;
}

function groupsClaim(claims: Claims, name: string): readonly string[] {
  if (!Object.hasOwn(claims, name)) return [];
  const value = claims[name];
  if (isText(value)) return [value];
  if (Array.isArray(value) && value.every(isText)) return value;
  throw new Error(wrongType(`oidc: parse groups claim ${quote(name)}`, "string or array of strings", value));
}
