import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  isRecord,
} from "@kubewright/apimachinery";
import type { CelProgram } from "@kubewright/cel";
import { certificatesOfPem } from "./certificate-pool.ts";
import { compileClaimMapping, compileClaimRule, compileUserRule } from "./oidc/claim-expressions.ts";

type Members = Record<string, unknown>;
const listOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const membersOf = (value: unknown): Members => (isRecord(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Validates a token issuer's configuration and returns the errors. @see apiserver pkg/apis/apiserver/validation */
export function issuerErrors(
  authenticator: Members,
  before: readonly Members[],
  disallowed: readonly string[],
  i: number,
): FieldError[] {
  const at = fieldPath("jwt").index(i);
  const issuer = membersOf(authenticator.issuer);
  const url = textOf(issuer.url);
  const urlPath = at.child("issuer", "url");
  const discoveryPath = at.child("issuer", "discoveryURL");
  const discovery = textOf(issuer.discoveryURL);
  const trimmed = (text: string): string => text.replace(/(?<!\/)\/+$/, "");
  return [
    ...(url === "" ? [fieldError.required(urlPath)] : urlErrors(url, disallowed, urlPath)),
    ...(discovery !== "" && trimmed(discovery) === trimmed(url)
      ? [fieldError.invalid(discoveryPath, discovery, "discoveryURL must be different from URL")]
      : []),
    ...(discovery === "" ? [] : urlErrors(discovery, [], discoveryPath)),
    ...audienceErrors(issuer, at.child("issuer")),
    ...authorityErrors(textOf(issuer.certificateAuthority), at.child("issuer")),
    ...egressErrors(issuer.egressSelectorType, at.child("issuer", "egressSelectorType")),
    ...claimRuleErrors(listOf(authenticator.claimValidationRules), at.child("claimValidationRules")),
    ...mappingErrors(membersOf(authenticator.claimMappings), at.child("claimMappings")),
    ...emailErrors(authenticator, at.child("claimMappings", "username", "expression")),
    ...userRuleErrors(listOf(authenticator.userValidationRules), at.child("userValidationRules")),
    ...(before.some((other) => membersOf(other.issuer).url === issuer.url)
      ? [fieldError.duplicate(urlPath, issuer.url)]
      : []),
    ...(discovery !== "" && before.some((other) => membersOf(other.issuer).discoveryURL === discovery)
      ? [fieldError.duplicate(discoveryPath, discovery)]
      : []),
  ];
}

export function urlErrors(text: string, disallowed: readonly string[], at: FieldPath): FieldError[] {
  const errors = disallowed.includes(text)
    ? [fieldError.invalid(at, text, `URL must not overlap with disallowed issuers: [${disallowed.join(" ")}]`)]
    : [];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const refusal = (why: string): FieldError => fieldError.invalid(at, text, why);
  if (url?.protocol !== "https:") errors.push(refusal("URL scheme must be https"));
  if (url?.username || url?.password) errors.push(refusal("URL must not contain a username or password"));
  if (url?.search) errors.push(refusal("URL must not contain a query"));
  if (url?.hash) errors.push(refusal("URL must not contain a fragment"));
  return errors;
}

function audienceErrors({ audiences, audienceMatchPolicy: policy }: Members, at: FieldPath): FieldError[] {
  const path = at.child("audiences");
  const list = Array.isArray(audiences) ? audiences : [];
  if (list.length === 0) return [fieldError.required(path, `at least one ${path} is required`)];
  const policyPath = at.child("audienceMatchPolicy");
  return [
    ...list.flatMap((audience, i) => [
      ...(audience === "" ? [fieldError.required(path.index(i))] : []),
      ...(list.indexOf(audience) < i ? [fieldError.duplicate(path.index(i), audience)] : []),
    ]),
    ...(list.length > 1 && policy !== "MatchAny"
      ? [fieldError.invalid(policyPath, policy ?? "", "audienceMatchPolicy must be MatchAny for multiple audiences")]
      : []),
    ...(list.length === 1 && policy && policy !== "MatchAny"
      ? [fieldError.invalid(policyPath, policy, "audienceMatchPolicy must be empty or MatchAny for single audience")]
      : []),
  ];
}

export function authorityErrors(pem: string, at: FieldPath): FieldError[] {
  if (pem === "") return [];
  try {
    certificatesOfPem(pem);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [fieldError.invalid(at.child("certificateAuthority"), "<omitted>", why)];
  }
}

const egressErrors = (type: unknown, at: FieldPath): FieldError[] =>
  !type || type === "controlplane" || type === "cluster"
    ? []
    : [fieldError.invalid(at, type, "egress selector must be either controlplane or cluster")];

function claimRuleErrors(rules: readonly Members[], at: FieldPath): FieldError[] {
  return rules.flatMap(({ claim, expression, message, requiredValue }, i) => {
    const path = at.index(i);
    if (claim && expression) return [fieldError.invalid(path, claim, "claim and expression can't both be set")];
    if (expression)
      return [
        ...(requiredValue
          ? [
              fieldError.invalid(
                path.child("requiredValue"),
                requiredValue,
                "may not be specified when expression is set",
              ),
            ]
          : []),
        ...(rules.findIndex((rule) => !rule.claim && rule.expression === expression) < i
          ? [fieldError.duplicate(path.child("expression"), expression)]
          : expressionErrors(expression, path.child("expression"), compileClaimRule)),
      ];
    if (!claim) return [fieldError.required(path, "claim or expression is required")];
    return [
      ...(message
        ? [fieldError.invalid(path.child("message"), message, "may not be specified when claim is set")]
        : []),
      ...(rules.findIndex((rule) => rule.claim === claim) < i
        ? [fieldError.duplicate(path.child("claim"), claim)]
        : []),
    ];
  });
}

function userRuleErrors(rules: readonly Members[], at: FieldPath): FieldError[] {
  return rules.flatMap(({ expression }, i) => {
    const path = at.index(i).child("expression");
    if (expression && rules.findIndex((rule) => rule.expression === expression) < i)
      return [fieldError.duplicate(path, expression)];
    return expressionErrors(expression, path, compileUserRule);
  });
}

/**
 * Returns an error if users are identified by e-mail address but the configuration does not require a verified address. Otherwise, anyone
 * could claim the address of another user.
 */
function emailErrors({ claimMappings, claimValidationRules }: Members, at: FieldPath): FieldError[] {
  const { username, extra } = membersOf(claimMappings);
  const { expression } = membersOf(username);
  const name = programsOf([expression], compileClaimMapping);
  const values = listOf(extra).map(({ valueExpression }) => valueExpression);
  const rules = listOf(claimValidationRules).map((rule) => rule.expression);
  const all = [...name, ...programsOf(values, compileClaimMapping), ...programsOf(rules, compileClaimRule)];
  if (!name.some((program) => program.selects("claims", "email"))) return [];
  if (all.some((program) => program.selects("claims", "email_verified"))) return [];
  const places =
    "claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression";
  const why = `claims.email_verified must be used in ${places} when claims.email is used in claimMappings.username.expression`;
  return [fieldError.invalid(at, expression, why)];
}

/** Returns the compiled expressions. Skips invalid ones, which are reported elsewhere. */
function programsOf(expressions: readonly unknown[], compile: (expression: string) => CelProgram): CelProgram[] {
  return expressions.flatMap((expression) => {
    try {
      return typeof expression === "string" && expression !== "" ? [compile(expression)] : [];
    } catch {
      return [];
    }
  });
}

function mappingErrors(mappings: Members, at: FieldPath): FieldError[] {
  const { claim, expression } = membersOf(mappings.uid);
  return [
    ...prefixedErrors(membersOf(mappings.username), at.child("username"), true),
    ...prefixedErrors(membersOf(mappings.groups), at.child("groups"), false),
    ...(claim && expression
      ? [fieldError.invalid(at.child("uid"), "", "claim and expression can't both be set")]
      : expression
        ? expressionErrors(expression, at.child("uid", "expression"), compileClaimMapping)
        : []),
    ...listOf(mappings.extra).flatMap((extra, i) => {
      const path = at.child("extra").index(i);
      const isSecond = listOf(mappings.extra).findIndex(({ key }) => key === extra.key) < i;
      const wrongKey = keyErrors(textOf(extra.key), path.child("key"));
      if (isSecond) return [...wrongKey, fieldError.duplicate(path.child("key"), extra.key)];
      return [
        ...wrongKey,
        ...expressionErrors(extra.valueExpression, path.child("valueExpression"), compileClaimMapping),
      ];
    }),
  ];
}

function prefixedErrors({ claim, prefix, expression }: Members, at: FieldPath, required: boolean): FieldError[] {
  if (claim && expression) return [fieldError.invalid(at, "", "claim and expression can't both be set")];
  if (expression && typeof prefix === "string")
    return [fieldError.invalid(at.child("prefix"), prefix, "may not be specified when expression is set")];
  if (expression) return expressionErrors(expression, at.child("expression"), compileClaimMapping);
  if (!claim) return required ? [fieldError.required(at, "claim or expression is required")] : [];
  if (typeof prefix === "string") return [];
  const why = "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
  return [fieldError.required(at.child("prefix"), why)];
}

function expressionErrors(expression: unknown, at: FieldPath, compile: (expression: string) => unknown): FieldError[] {
  if (typeof expression !== "string" || expression === "") return [fieldError.required(at)];
  try {
    compile(expression);
    return [];
  } catch (error) {
    return [fieldError.invalid(at, expression, error instanceof Error ? error.message : String(error))];
  }
}

/** Validates the key of an extra attribute, which must begin with a domain that does not belong to Kubernetes. */
function keyErrors(key: string, at: FieldPath): FieldError[] {
  const [domain = "", path = ""] = key.split(/\/(.*)/s);
  const isReserved = key.includes("/") && ["k8s.io", "kubernetes.io"].some((own) => `.${domain}`.endsWith(`.${own}`));
  return [
    ...domainPathErrors(key, domain, path, at),
    ...(key === key.toLowerCase() ? [] : [fieldError.invalid(at, key, "must be lowercase")]),
    ...(isReserved
      ? [fieldError.invalid(at, key, "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use")]
      : []),
  ];
}

/** Validates the domain and the path of a key.  @see apimachinery pkg/util/validation IsDomainPrefixedPath */
function domainPathErrors(key: string, domain: string, path: string, at: FieldPath): FieldError[] {
  if (key === "") return [fieldError.required(at)];
  if (domain === "" || path === "")
    return [fieldError.invalid(at, key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
  return [
    ...isDns1123Subdomain(domain).map((message) => fieldError.invalid(at, domain, message)),
    ...(new RegExp(`^${pathFormat}$`).test(path)
      ? []
      : [fieldError.invalid(at, path, `Invalid path (regex used for validation is '${pathFormat}')`)]),
  ];
}
