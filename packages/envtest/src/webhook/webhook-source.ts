import type { KubeObject } from "@kubewright/apimachinery";

/** Address at which an API server calls a webhook. */
export interface ClientConfig {
  readonly service?: { readonly path?: string | undefined } | undefined;
  readonly url?: string | undefined;
  readonly caBundle?: string | undefined;
}

const collections = {
  MutatingWebhookConfiguration: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  ValidatingWebhookConfiguration: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
} as const;

export type ConfigurationKind = keyof typeof collections;

/** A webhook configuration, with only the fields that this package uses. */
export interface Configuration extends KubeObject {
  readonly kind: ConfigurationKind;
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: ClientConfig }[] | undefined;
}

/** A webhook configuration, or the path of a YAML or JSON file, or of a folder with such files. */
export type WebhookSource = string | object;

export const collectionOf = (kind: ConfigurationKind): string => collections[kind];

export const isConfiguration = (value: unknown): value is Configuration =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  typeof value.kind === "string" &&
  Object.hasOwn(collections, value.kind) &&
  "metadata" in value;
