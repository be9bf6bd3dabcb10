import {
  aggregateFieldErrors,
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  isRecord,
  parseGoDuration,
} from "@kubewright/apimachinery";
import { ConfigurationReader } from "../authentication/configuration-reader.ts";
import { compileMatchCondition } from "./match-conditions.ts";

/** An authorizer in an `AuthorizationConfiguration`. @see apiserver pkg/apis/apiserver AuthorizerConfiguration */
export interface AuthorizerConfiguration {
  readonly type: string;
  readonly name: string;
  /** Settings for the type `Webhook`. */
  readonly webhook?: AuthorizationWebhookConfiguration | undefined;
}

/** Configuration of a webhook that authorizes requests. @see apiserver v1 WebhookConfiguration */
export interface AuthorizationWebhookConfiguration {
  readonly timeoutMs: number;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** API version of the SubjectAccessReviews to send. */
  readonly version: string;
  readonly failurePolicy: "NoOpinion" | "Deny";
  readonly kubeConfigFile: string;
  /** CEL expressions over a request. The webhook is called only if all of them are true. */
  readonly matchConditions: readonly string[];
}

const shape = {
  apiVersion: true,
  kind: true,
  authorizers: [
    {
      type: true,
      name: true,
      webhook: {
        authorizedTTL: true,
        cacheAuthorizedRequests: true,
        unauthorizedTTL: true,
        cacheUnauthorizedRequests: true,
        timeout: true,
        subjectAccessReviewVersion: true,
        matchConditionSubjectAccessReviewVersion: true,
        failurePolicy: true,
        connectionInfo: { type: true, kubeConfigFile: true },
        matchConditions: [{ expression: true }],
      },
    },
  ],
} as const;

const types = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"] as const;
const versions = ["v1", "v1beta1"] as const;

/**
 * Parses an `AuthorizationConfiguration`.
 *
 * @throws {Error} with kube-apiserver's message if the text cannot be parsed or the configuration is not valid
 */
export function readAuthorizationConfiguration(text: string): readonly AuthorizerConfiguration[] {
  const reader = new ConfigurationReader("AuthorizationConfiguration", ["v1", "v1beta1", "v1alpha1"], shape);
  let config: Record<string, unknown>;
  try {
    config = reader.read(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`failed to load AuthorizationConfiguration from file: ${why}`, { cause });
  }
  const authorizers = Array.isArray(config.authorizers) ? config.authorizers.filter(isRecord) : [];
  const at = fieldPath("authorizers");
  const errors =
    authorizers.length === 0
      ? [fieldError.required(at, "at least one authorization mode must be defined")]
      : authorizers.flatMap((authorizer, i) => authorizerErrors(authorizer, authorizers.slice(0, i), at.index(i)));
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors));
  return authorizers.map((authorizer) => ({
    type: textOf(authorizer.type),
    name: textOf(authorizer.name),
    ...(isRecord(authorizer.webhook) ? { webhook: webhookOf(authorizer.webhook) } : {}),
  }));
}

type Members = Record<string, unknown>;
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function authorizerErrors(authorizer: Members, before: readonly Members[], at: FieldPath): FieldError[] {
  const [type, name] = [textOf(authorizer.type), textOf(authorizer.name)];
  const known: readonly string[] = types;
  if (type === "") return [fieldError.required(at.child("type"))];
  if (!known.includes(type)) return [fieldError.notSupported(at.child("type"), type, types)];
  if (type !== "Webhook" && before.some((other) => other.type === type))
    return [fieldError.duplicate(at.child("type"), type)];
  return [...nameErrors(name, before, at.child("name")), ...webhookPresence(type, authorizer.webhook, at)];
}

function nameErrors(name: string, before: readonly Members[], at: FieldPath): FieldError[] {
  if (name === "") return [fieldError.required(at)];
  if (before.some((other) => other.name === name)) return [fieldError.duplicate(at, name)];
  const problems = isDns1123Subdomain(name);
  return problems.length === 0
    ? []
    : [fieldError.invalid(at, name, `authorizer name is invalid: ${problems.join(", ")}`)];
}

function webhookPresence(type: string, webhook: unknown, at: FieldPath): FieldError[] {
  if (type === "Webhook")
    return isRecord(webhook)
      ? webhookErrors(webhook, at)
      : [fieldError.required(at.child("webhook"), "required when type=Webhook")];
  return webhook === undefined || webhook === null
    ? []
    : [fieldError.invalid(at.child("webhook"), "non-null", "may only be specified when type=Webhook")];
}

/**
 * Validates the settings of a webhook. Like upstream, reports the errors at the path of the authorizer instead of the path of the webhook.
 */
function webhookErrors(webhook: Members, at: FieldPath): FieldError[] {
  const timeout = webhook.timeout;
  const ms = durationMs(timeout);
  const { subjectAccessReviewVersion: version, failurePolicy, matchConditions } = webhook;
  const connection = isRecord(webhook.connectionInfo) ? webhook.connectionInfo : {};
  const policies = ["NoOpinion", "Deny"];
  const oneOf = (name: string, value: unknown, supported: readonly string[]): FieldError[] => {
    if (!value) return [fieldError.required(at.child(name))];
    return supported.includes(String(value)) ? [] : [fieldError.notSupported(at.child(name), value, supported)];
  };
  return [
    ...(ms === 0
      ? [fieldError.required(at.child("timeout"))]
      : ms > 30_000 || ms < 0
        ? [fieldError.invalid(at.child("timeout"), timeout, "must be > 0s and <= 30s")]
        : []),
    ...oneOf("subjectAccessReviewVersion", version, versions),
    ...oneOf("failurePolicy", failurePolicy, policies),
    ...(Array.isArray(matchConditions) && matchConditions.length > 0
      ? matchVersionErrors(webhook.matchConditionSubjectAccessReviewVersion, at)
      : []),
    ...connectionErrors(connection, at.child("connectionInfo")),
    ...conditionErrors(matchConditions, at.child("matchConditions")),
  ];
}

function matchVersionErrors(version: unknown, at: FieldPath): FieldError[] {
  const path = at.child("matchConditionSubjectAccessReviewVersion");
  if (!version) return [fieldError.required(path, "required if match conditions are specified")];
  return version === "v1" ? [] : [fieldError.notSupported(path, version, ["v1"])];
}

function conditionErrors(conditions: unknown, at: FieldPath): FieldError[] {
  const list = Array.isArray(conditions) ? conditions.filter(isRecord) : [];
  if (list.length > 64) return [fieldError.tooMany(at, list.length, 64)];
  return list.flatMap(({ expression }, i) => {
    const path = at.index(i).child("expression");
    if (textOf(expression).trim() === "") return [fieldError.required(path)];
    if (list.findIndex((other) => other.expression === expression) < i) return [fieldError.duplicate(path, expression)];
    try {
      compileMatchCondition(textOf(expression));
      return [];
    } catch (error) {
      return [fieldError.invalid(path, expression, error instanceof Error ? error.message : String(error))];
    }
  });
}

function connectionErrors({ type, kubeConfigFile: file }: Members, at: FieldPath): FieldError[] {
  if (!type) return [fieldError.required(at.child("type"))];
  if (type === "InClusterConfig")
    return [fieldError.invalid(at.child("type"), type, "this server does not run inside a cluster")];
  if (type !== "KubeConfigFile")
    return [fieldError.notSupported(at.child("type"), type, ["InClusterConfig", "KubeConfigFile"])];
  if (!file) return [fieldError.required(at.child("kubeConfigFile"))];
  return textOf(file).startsWith("/")
    ? []
    : [fieldError.invalid(at.child("kubeConfigFile"), file, "must be an absolute path")];
}

function webhookOf(webhook: Members): AuthorizationWebhookConfiguration {
  const connection = isRecord(webhook.connectionInfo) ? webhook.connectionInfo : {};
  const ttl = (name: string, caches: string, defaultMs: number): number => {
    if (webhook[caches] === false) return 0;
    return webhook[name] === undefined ? defaultMs : durationMs(webhook[name]);
  };
  return {
    timeoutMs: durationMs(webhook.timeout),
    authorizedTtlMs: ttl("authorizedTTL", "cacheAuthorizedRequests", 300_000),
    unauthorizedTtlMs: ttl("unauthorizedTTL", "cacheUnauthorizedRequests", 30_000),
    version: textOf(webhook.subjectAccessReviewVersion),
    failurePolicy: webhook.failurePolicy === "Deny" ? "Deny" : "NoOpinion",
    kubeConfigFile: textOf(connection.kubeConfigFile),
    matchConditions: Array.isArray(webhook.matchConditions)
      ? webhook.matchConditions.filter(isRecord).map(({ expression }) => textOf(expression))
      : [],
  };
}

/** Returns the milliseconds of a duration, or 0 if the duration is not valid. */
const durationMs = (value: unknown): number => Number(parseGoDuration(textOf(value)) ?? 0n) / 1e6;
