import type { CustomResourceDefinitionManifest, LabelSelectorSpec, Unstructured } from "@kubewright/apimachinery";
import type { AdmissionRule, WebhookDeclaration } from "../admission/declaration.ts";
import type { CaBundleTarget } from "../certificates/ca-bundles.ts";
import { conversionPath } from "../conversion/conversion-endpoint.ts";
import { type ClientConfig, clientConfigOf, type WebhookTarget } from "./webhook-target.ts";

/** One webhook of a configuration. @see api/admissionregistration/v1 MutatingWebhook, ValidatingWebhook */
export interface ConfiguredWebhook {
  name: string;
  clientConfig: ClientConfig;
  rules: readonly AdmissionRule[];
  failurePolicy: "Fail" | "Ignore";
  sideEffects: "None" | "NoneOnDryRun";
  /** Which versions of AdmissionReview the server takes, the preferred one first. */
  admissionReviewVersions: readonly string[];
  /** How long the API server waits; from 1 to 30. */
  timeoutSeconds: number;
  matchPolicy?: "Exact" | "Equivalent";
  matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  namespaceSelector?: LabelSelectorSpec;
  objectSelector?: LabelSelectorSpec;
  reinvocationPolicy?: "Never" | "IfNeeded";
}

/** A configuration object, ready to be applied. @see api/admissionregistration/v1 MutatingWebhookConfiguration */
export interface WebhookConfiguration extends Unstructured {
  kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  webhooks: ConfiguredWebhook[];
}

/** A definition that says where its versions are converted, if that takes more than another `apiVersion`. */
export interface DefinitionWithConversion extends CustomResourceDefinitionManifest {
  [field: string]: unknown;
  spec: CustomResourceDefinitionManifest["spec"] & {
    conversion:
      | {
          strategy: "Webhook";
          webhook: { clientConfig: ClientConfig; conversionReviewVersions: string[] };
        }
      | { strategy: "None" };
  };
}

export interface Declared {
  readonly declarations: readonly WebhookDeclaration[];
  readonly definitions: readonly CustomResourceDefinitionManifest[];
}

/** The objects that make API servers ask: a configuration for each type of webhook there is, and the definitions with their conversion. */
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
 * Which objects of those trust somebody: see {@link configurationsOf}. Both types of configurations are among them: one that the program has nothing in
 * may still have what an earlier revision declared.
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

/** Unless its versions have the same fields, which an API server relabels by itself. */
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
/** Groups of definitions end in `k8s.io` only by Kubernetes' own leave. */
const isBuiltIn = (group: string): boolean => builtInGroups.has(group) || group.endsWith(".k8s.io");

/**
 * An operator that is asked about its own pods cannot start once it is away, and neither can what the cluster itself needs. Absent for
 * kinds of definitions, without which both get along.
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
