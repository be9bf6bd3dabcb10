import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1035Label,
  type KubeObject,
  type LabelSelectorSpec,
} from "@kubewright/apimachinery";
import type { MatchCondition, Rule } from "@kubewright/apiserver/admission";
import { ExpressionScope, isReview } from "@kubewright/apiserver/admission";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { clientErrors, type UncheckedClientConfig } from "@kubewright/apiserver/webhook";
import { inRange, messages, selectorErrors } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { matchConditionErrors } from "./match-condition-validation.ts";
import { ruleErrors } from "./rule-validation.ts";

interface Webhook {
  name?: string;
  clientConfig?: UncheckedClientConfig;
  rules?: Rule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelectorSpec;
  objectSelector?: LabelSelectorSpec;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[];
  reinvocationPolicy?: string;
  matchConditions?: MatchCondition[];
}

interface WebhookConfiguration extends KubeObject {
  webhooks?: Webhook[];
}

function applyWebhookDefaults(webhook: Webhook, isMutating: boolean): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  if (isMutating) webhook.reinvocationPolicy ??= "Never";
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
  for (const rule of webhook.rules ?? []) rule.scope ??= "*";
}

const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function nameErrors(name: string, at: FieldPath): FieldError[] {
  if (name === "") return [fieldError.required(at)];
  if (!domain.test(name))
    return [
      fieldError.invalid(
        at,
        name,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ),
    ];
  return name.split(".").length < 3
    ? [fieldError.invalid(at, name, "should be a domain with at least three segments separated by dots")]
    : [];
}

type Word = "failurePolicy" | "matchPolicy" | "reinvocationPolicy";

function webhookErrors(webhook: Webhook, at: FieldPath, unchanged: ReadonlySet<string>): FieldError[] {
  const { sideEffects, admissionReviewVersions = [], failurePolicy, matchPolicy, reinvocationPolicy } = webhook;
  const word = (field: Word, value: string | undefined, allowed: string[]): FieldError[] =>
    value === undefined || allowed.includes(value) ? [] : [fieldError.notSupported(at.child(field), value, allowed)];
  return [
    ...nameErrors(webhook.name ?? "", at.child("name")),
    ...(webhook.rules ?? []).flatMap((rule, i) => ruleErrors(rule, at.child("rules").index(i))),
    ...word("failurePolicy", failurePolicy, ["Fail", "Ignore"]),
    ...word("matchPolicy", matchPolicy, ["Equivalent", "Exact"]),
    ...(sideEffects === undefined
      ? [fieldError.required(at.child("sideEffects"), "must specify one of None, NoneOnDryRun")]
      : ["None", "NoneOnDryRun"].includes(sideEffects)
        ? []
        : [fieldError.notSupported(at.child("sideEffects"), sideEffects, ["None", "NoneOnDryRun"])]),
    ...inRange(webhook.timeoutSeconds, 1, 30, at.child("timeoutSeconds")).map((error) => ({
      ...error,
      detail: "the timeout value must be between 1 and 30 seconds",
    })),
    ...selectorErrors(webhook.namespaceSelector, at.child("namespaceSelector")),
    ...selectorErrors(webhook.objectSelector, at.child("objectSelector")),
    ...clientErrors(webhook.clientConfig ?? {}, at.child("clientConfig")),
    ...word("reinvocationPolicy", reinvocationPolicy, ["IfNeeded", "Never"]),
    ...matchConditionErrors(
      webhook.matchConditions ?? [],
      new ExpressionScope({ authorizer: true }),
      at.child("matchConditions"),
      unchanged,
    ),
    ...versionErrors(admissionReviewVersions, at.child("admissionReviewVersions")),
  ];
}

function versionErrors(versions: readonly string[], at: FieldPath): FieldError[] {
  if (versions.length === 0) return [fieldError.required(at, "must specify one of v1, v1beta1")];
  const seen = new Set<string>();
  const errors = versions.flatMap((version, i) => {
    if (seen.has(version)) return [fieldError.invalid(at.index(i), version, "duplicate version")];
    seen.add(version);
    return messages(version, isDns1035Label(version), at.index(i));
  });
  return versions.some((version) => version === "v1" || version === "v1beta1")
    ? errors
    : [...errors, fieldError.invalid(at, versions, "must include at least one of v1, v1beta1")];
}

function validate({ webhooks = [] }: WebhookConfiguration, old?: Readonly<WebhookConfiguration>): FieldError[] {
  const at = fieldPath("webhooks");
  const unchanged = new Set(
    (old?.webhooks ?? []).flatMap(({ matchConditions = [] }) =>
      matchConditions.map(({ expression = "" }) => expression),
    ),
  );
  const names = new Set<string>();
  return webhooks.flatMap((webhook, i) => {
    const name = webhook.name ?? "";
    const errors = webhookErrors(webhook, at.index(i), unchanged);
    if (names.has(name)) errors.push(fieldError.duplicate(at.index(i).child("name"), name));
    names.add(name);
    return errors;
  });
}

/** Returns a warning for each resource that a rule names although webhooks are never called for it. */
function excludedWarnings({ webhooks = [] }: WebhookConfiguration): string[] {
  return webhooks.flatMap(({ rules = [] }, i) =>
    rules.flatMap(({ apiGroups = [], resources = [] }, j) => {
      if (apiGroups.includes("*") || resources.includes("*")) return [];
      const named = apiGroups.flatMap((group) =>
        resources.filter((resource) => isReview({ group, resource })).map((resource) => `${resource}.${group}`),
      );
      const at = fieldPath("webhooks").index(i).child("rules").index(j);
      return [...new Set(named)].map(
        (name) => `${at}: ${name} is excluded from admission webhooks; this rule will have no effect`,
      );
    }),
  );
}

const strategy = (isMutating: boolean) =>
  defineStrategy<WebhookConfiguration>({
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    applyDefaults({ webhooks = [] }) {
      for (const webhook of webhooks) applyWebhookDefaults(webhook, isMutating);
    },
    validate: (object) => validate(object),
    validateUpdate: (object, old) => validate(object, old),
    warningsOnCreate: excludedWarnings,
    warningsOnUpdate: excludedWarnings,
    columns: [nameColumn, column("Webhooks", ({ webhooks = [] }) => webhooks.length, { type: "integer" }), ageColumn],
  });

/** Strategy for MutatingWebhookConfigurations. @see pkg/registry/admissionregistration/mutatingwebhookconfiguration strategy.go */
export const mutatingWebhookConfigurationStrategy = strategy(true);
/** Strategy for ValidatingWebhookConfigurations. @see pkg/registry/admissionregistration/validatingwebhookconfiguration strategy.go */
export const validatingWebhookConfigurationStrategy = strategy(false);
