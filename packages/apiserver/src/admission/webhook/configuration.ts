import type { DeepReadonly, KubeObject, LabelSelectorSpec, WebhookClientConfig } from "@kubewright/apimachinery";
import type { MatchCondition } from "../match-conditions.ts";
import type { OperationRule } from "../rules.ts";

/** A webhook from either kind of configuration, with defaults filled in. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: DeepReadonly<WebhookClientConfig>;
  readonly rules?: readonly OperationRule[] | undefined;
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  readonly matchPolicy?: "Exact" | "Equivalent" | undefined;
  readonly namespaceSelector?: LabelSelectorSpec | undefined;
  readonly objectSelector?: LabelSelectorSpec | undefined;
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  readonly sideEffects?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: "Never" | "IfNeeded" | undefined;
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[] | undefined;
}

/** A webhook with the configuration that contains it. */
export interface Hook {
  readonly webhook: Webhook;
  readonly configuration: string;
  /** Identifier that is unique among all hooks. */
  readonly id: string;
}

/**
 * Returns the webhooks in the order in which they are called: sorted by the name of the configuration, and within a
 * configuration in the order in which they are listed.
 */
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
