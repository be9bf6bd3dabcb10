import type {
  CustomResourceDefinitionManifest,
  LabelSelectorSpec,
  Unstructured,
  WebhookClientConfig,
} from "@kubewright/apimachinery";
import type { AdmissionRule, WebhookDeclaration } from "../admission/declaration.ts";
import type { CaBundleTarget } from "../certificates/ca-bundles.ts";
import { conversionPath } from "../conversion/conversion-endpoint.ts";
import { clientConfigOf, type WebhookTarget } from "./webhook-target.ts";

/** A webhook in a configuration. @see api/admissionregistration/v1 MutatingWebhook, ValidatingWebhook */
export interface ConfiguredWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules: readonly AdmissionRule[];
  failurePolicy: "Fail" | "Ignore";
  sideEffects: "None" | "NoneOnDryRun";
  /** AdmissionReview versions that the server supports, preferred one first. */
  admissionReviewVersions: readonly string[];
  /** Time that the API server waits for a response, in seconds; from 1 to 30. */
  timeoutSeconds: number;
  matchPolicy?: "Exact" | "Equivalent" | undefined;
  matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  namespaceSelector?: LabelSelectorSpec | undefined;
  objectSelector?: LabelSelectorSpec | undefined;
  reinvocationPolicy?: "Never" | "IfNeeded" | undefined;
}

/** A configuration object, ready to apply. @see api/admissionregistration/v1 MutatingWebhookConfiguration */
export interface WebhookConfiguration extends Unstructured {
  kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  webhooks: ConfiguredWebhook[];
}

/** A CRD with its conversion webhook, if its versions differ in more than `apiVersion`. */
export interface DefinitionWithConversion extends CustomResourceDefinitionManifest {
  [field: string]: unknown;
  spec: CustomResourceDefinitionManifest["spec"] & {
    conversion:
      | {
          strategy: "Webhook";
          webhook: { clientConfig: WebhookClientConfig; conversionReviewVersions: string[] };
        }
      | { strategy: "None" };
  };
}

export interface Declared {
  readonly declarations: readonly WebhookDeclaration[];
  readonly definitions: readonly CustomResourceDefinitionManifest[];
}

/**
 * Returns the objects that make API servers call the webhooks: one configuration for each type of webhook, and the CRDs with their
 * conversion webhooks.
 */
export function configurationsOf(
  { declarations, definitions }: Declared,
  target: WebhookTarget,
): (WebhookConfiguration | DefinitionWithConversion)[] {
  const beginning = target.name ?? target.service?.name ?? "kubewright";
  const configurations = types.flatMap(([type, kind]): WebhookConfiguration[] => {
    const webhooks = declarations.filter((one) => one.type === type).map((one) => configured(one, target));
    if (webhooks.length === 0) return [];
    const metadata = { name: nameOf(beginning, type) };
    return [{ apiVersion: "admissionregistration.k8s.io/v1", kind, metadata, webhooks }];
  });
  return [...configurations, ...definitions.map((definition) => withConversion(definition, target))];
}

const types = [
  ["mutating", "MutatingWebhookConfiguration"],
  ["validating", "ValidatingWebhookConfiguration"],
] as const;

const nameOf = (beginning: string, type: WebhookDeclaration["type"]): string =>
  `${beginning}-${type}-webhook-configuration`;

/**
 * Returns the objects of {@link configurationsOf} that contain a CA bundle. Configurations of both types are included,
 * because a configuration may contain entries from an earlier revision even if the program has no webhooks of that
 * type.
 */
export function targetsOf(
  { definitions }: Pick<Declared, "definitions">,
  beginning: string,
): readonly CaBundleTarget[] {
  return [
    ...types.map(([type, kind]) => ({ kind, name: nameOf(beginning, type) })),
    ...definitions.filter(isConverted).map(({ metadata: { name } }) => ({ kind: definitionKind, name })),
  ];
}

const definitionKind = "CustomResourceDefinition" as const;

/** Reports whether objects need conversion. If all versions have the same fields, the API server converts objects itself. */
const isConverted = ({ spec }: CustomResourceDefinitionManifest): boolean => spec.conversion?.strategy !== "None";

function configured(declaration: WebhookDeclaration, target: WebhookTarget): ConfiguredWebhook {
  const { matchPolicy, matchConditions, objectSelector, reinvocationPolicy, rules } = declaration;
  const namespaceSelector = declaration.namespaceSelector ?? outsideOwnNamespace(rules, target);
  return {
    name: declaration.name,
    clientConfig: clientConfigOf(target, declaration.path),
    rules,
    failurePolicy: declaration.failurePolicy ?? "Fail",
    sideEffects: declaration.sideEffects ?? "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: declaration.timeoutSeconds ?? 10,
    ...(matchPolicy ? { matchPolicy } : {}),
    ...(matchConditions ? { matchConditions } : {}),
    ...(namespaceSelector ? { namespaceSelector } : {}),
    ...(objectSelector ? { objectSelector } : {}),
    ...(reinvocationPolicy && declaration.type === "mutating" ? { reinvocationPolicy } : {}),
  };
}

const builtInGroups = new Set(["", "*", "apps", "autoscaling", "batch", "extensions", "policy"]);
/**
 * Reports whether a group may contain built-in kinds. Groups that end in `k8s.io` count: CRDs in them need the approval of the Kubernetes
 * project.
 */
const isBuiltIn = (group: string): boolean => builtInGroups.has(group) || group.endsWith(".k8s.io");

/**
 * Returns a selector that excludes the operator's own namespace and `kube-system` for built-in kinds: otherwise, neither the operator's own
 * pods nor the cluster's components could start while the webhook is not served. Returns `undefined` for custom resources, because none of
 * these pods needs them to start.
 */
function outsideOwnNamespace(rules: readonly AdmissionRule[], target: WebhookTarget): LabelSelectorSpec | undefined {
  if (!rules.some(({ apiGroups }) => apiGroups.some(isBuiltIn))) return undefined;
  const own = target.namespace ?? target.service?.namespace;
  const values = ["kube-system", ...(own === undefined || own === "kube-system" ? [] : [own])];
  return { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values }] };
}

function withConversion(definition: CustomResourceDefinitionManifest, target: WebhookTarget): DefinitionWithConversion {
  if (!isConverted(definition))
    return { ...definition, spec: { ...definition.spec, conversion: { strategy: "None" } } };
  const clientConfig = clientConfigOf(target, conversionPath);
  const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
  return { ...definition, spec: { ...definition.spec, conversion: { strategy: "Webhook", webhook } } };
}
