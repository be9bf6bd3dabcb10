import { type DescribedResource, type Kind, type LabelSelectorSpec, pluralOf } from "@kubewright/apimachinery";

/** What a request does to its object; `*` is all four. @see api/admissionregistration/v1 OperationType */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT" | "*";

/** Which requests a webhook is asked about. @see api/admissionregistration/v1 RuleWithOperations */
export interface AdmissionRule {
  operations: readonly Operation[];
  apiGroups: readonly string[];
  apiVersions: readonly string[];
  /** Plurals, or `pods/status`. */
  resources: readonly string[];
  scope?: "Cluster" | "Namespaced" | "*";
}

/** How an API server asks a webhook. Absent fields are the API server's defaults, but for those said here. */
export interface WebhookSettings {
  /** A domain name of at least three parts, unique in the configuration. */
  readonly name?: string | undefined;
  /** Default 10. */
  readonly timeoutSeconds?: number | undefined;
  /** What becomes of requests where the webhook cannot be asked. Default `Fail`. */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  /** Whether requests in other versions of the resource count, too. The API server's default is `Equivalent`: they do. */
  readonly matchPolicy?: "Exact" | "Equivalent" | undefined;
  /** CEL expressions that have to be true for the webhook to be asked. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  /**
   * In which namespaces. Default: all; for built-in kinds all but `kube-system` and the operator's own, which could not start if its pods
   * needed it. `{}` is all, for them too.
   */
  readonly namespaceSelector?: LabelSelectorSpec | undefined;
  /** Which objects it is asked about, by their labels before or after the change. */
  readonly objectSelector?: LabelSelectorSpec | undefined;
  /** Default `None`. */
  readonly sideEffects?: "None" | "NoneOnDryRun" | undefined;
  /** Of mutating webhooks. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded" | undefined;
}

/** What a configuration object is to say of a webhook. */
export interface WebhookDeclaration extends WebhookSettings {
  readonly type: "mutating" | "validating";
  readonly path: string;
  readonly name: string;
  readonly rules: readonly AdmissionRule[];
  /** The kinds that the rules are about. */
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
