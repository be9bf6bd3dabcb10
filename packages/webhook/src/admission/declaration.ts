import { type DescribedResource, type Kind, type LabelSelectorSpec, pluralOf } from "@kubewright/apimachinery";

/** Operation on an object; `*` matches all four. @see api/admissionregistration/v1 OperationType */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT" | "*";

/** Selects requests that a webhook receives. @see api/admissionregistration/v1 RuleWithOperations */
export interface AdmissionRule {
  operations: readonly Operation[];
  apiGroups: readonly string[];
  apiVersions: readonly string[];
  /** Plural names, or names with a subresource such as `pods/status`. */
  resources: readonly string[];
  scope?: "Cluster" | "Namespaced" | "*" | undefined;
}

/**
 * Settings for calls from the API server. Unless documented otherwise, absent fields have the API server's defaults.
 */
export interface WebhookConfigurationOptions {
  /** Domain name of at least three segments, unique within the configuration. */
  readonly name?: string | undefined;
  /** Timeout for a call, in seconds. Default 10. */
  readonly timeoutSeconds?: number | undefined;
  /** Outcome of a request whose webhook call fails. Default `Fail`. */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  /** Controls whether requests for other versions of the resource match. With `Equivalent`, the API server's default, they match. */
  readonly matchPolicy?: "Exact" | "Equivalent" | undefined;
  /** CEL expressions that must all be true for the API server to call the webhook. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  /**
   * Selects namespaces. Default: all namespaces. For built-in kinds, the default excludes `kube-system` and the
   * operator's own namespace, because the operator could not start if creating its own pods required its webhooks. `{}`
   * selects all namespaces even for built-in kinds.
   */
  readonly namespaceSelector?: LabelSelectorSpec | undefined;
  /** Selects objects by their labels before or after the change. */
  readonly objectSelector?: LabelSelectorSpec | undefined;
  /** Side effects of the webhook. Default `None`. */
  readonly sideEffects?: "None" | "NoneOnDryRun" | undefined;
  /** Controls whether the API server calls the webhook again after later webhooks changed the object. For mutating webhooks only. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded" | undefined;
}

/** Everything that a configuration object contains about a webhook. */
export interface WebhookDeclaration extends WebhookConfigurationOptions {
  readonly type: "mutating" | "validating";
  readonly path: string;
  readonly name: string;
  readonly rules: readonly AdmissionRule[];
  /** Kinds that the rules match. */
  readonly resources: readonly DescribedResource[];
}

export function ruleOf(kind: Kind, operations: readonly Operation[], subResource?: string): AdmissionRule {
  const resource = kind.plural ?? pluralOf(kind.kind);
  return {
    operations,
    apiGroups: [kind.group],
    apiVersions: [kind.version],
    resources: [subResource ? `${resource}/${subResource}` : resource],
    ...(kind.scope ? { scope: kind.scope } : {}),
  };
}
