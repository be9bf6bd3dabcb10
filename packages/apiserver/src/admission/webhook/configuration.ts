import type { DeepReadonly, KubeObject, LabelSelectorSpec, WebhookClientConfig } from "@kubewright/apimachinery";
import type { MatchCondition } from "../match-conditions.ts";
import type { OperationRule } from "../rules.ts";

/** A webhook from either kind of configuration, with defaults filled in. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: DeepReadonly<WebhookClientConfig>;
  readonly rules?: readonly OperationRule[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchPolicy?: "Exact" | "Equivalent";
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
  readonly matchConditions?: readonly MatchCondition[];
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

/** A webhook and its position in its configuration. */
export interface Hook {
  readonly webhook: Webhook;
  readonly configuration: string;
  /** Unique among all hooks. */
  readonly id: string;
}

/** Returns the webhooks in calling order: configurations by name, webhooks as listed. */
export function hooksOf(configurations: readonly WebhookConfiguration[]): Hook[] {
  return configurations
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap(({ metadata, webhooks = [] }) =>
      webhooks.map((webhook, i) => ({
        webhook,
        configuration: metadata.name,
        id: `${metadata.name}/${webhook.name}/${i}`,
      })),
    );
}
