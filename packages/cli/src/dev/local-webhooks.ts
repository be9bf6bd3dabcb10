import { isRecord } from "@kubewright/apimachinery";
import type { LocalConfiguration, LocalWebhook } from "@kubewright/webhook/local";

/** Returns a program's webhook configurations for a session on this machine. */
export function localConfigurations(described: readonly object[]): LocalConfiguration[] {
  return described.flatMap((one): LocalConfiguration[] => {
    if (!("kind" in one) || !("webhooks" in one) || !Array.isArray(one.webhooks)) return [];
    const { kind } = one;
    if (kind !== "MutatingWebhookConfiguration" && kind !== "ValidatingWebhookConfiguration") return [];
    const name = kind === "MutatingWebhookConfiguration" ? "mutating" : "validating";
    return [{ kind, name, webhooks: one.webhooks.flatMap(localWebhook) }];
  });
}

/** Returns the webhook without its URL and failure policy, which the session sets; empty if the webhook is not valid. */
function localWebhook(webhook: unknown): LocalWebhook[] {
  if (!isRecord(webhook) || !isRecord(webhook.clientConfig)) return [];
  const { service } = webhook.clientConfig;
  if (!isRecord(service) || typeof service.path !== "string") return [];
  const { clientConfig: _1, failurePolicy: _2, sideEffects: _3, admissionReviewVersions: _4, ...rest } = webhook;
  const local = { ...rest, path: service.path };
  return isLocalWebhook(local) ? [local] : [];
}

const isLocalWebhook = (value: object): value is LocalWebhook =>
  "name" in value && typeof value.name === "string" && "rules" in value && Array.isArray(value.rules);

/**
 * Returns the CRD with its conversion webhook redirected to this machine. A CRD without a conversion webhook is
 * returned unchanged.
 */
export function convertedHere(definition: object, url: string, caBundle: string): object {
  if (!("spec" in definition) || !isRecord(definition.spec) || !isRecord(definition.spec.conversion)) return definition;
  const { spec } = definition;
  const { conversion } = definition.spec;
  if (conversion.strategy !== "Webhook" || !isRecord(conversion.webhook)) return definition;
  const clientConfig = {
    url: new URL("/convert", url).href,
    caBundle: Buffer.from(caBundle).toString("base64"),
  };
  return {
    ...definition,
    spec: { ...spec, conversion: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } },
  };
}
