import type { DescribedResource, Permission } from "@kubewright/apimachinery";

/** The kinds that a controller reconciles and watches. */
export interface DescribedController {
  readonly name: string;
  /** The reconciled kind. */
  readonly for?: DescribedResource | undefined;
  readonly owns: readonly DescribedResource[];
  readonly watches: readonly DescribedResource[];
}

/** A webhook that is served, and the resource that API servers call it for. */
export interface DescribedWebhook {
  readonly type: "mutating" | "validating" | "conversion";
  /** Path of the webhook: `/mutate-shop-example-com-v1-site`. */
  readonly path: string;
  readonly resource: DescribedResource;
  /** `CREATE`, `UPDATE`, `DELETE` ... Conversions have none. */
  readonly operations: readonly string[];
}

/** Storage of the webhooks' certificates, and the objects that receive the CA, by name. */
export interface DescribedCertificates {
  readonly secret?: { readonly namespace: string; readonly name: string } | undefined;
  /** Service with which API servers call the program. */
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
  readonly mutatingWebhookConfigurations: readonly string[];
  readonly validatingWebhookConfigurations: readonly string[];
  readonly customResourceDefinitions: readonly string[];
}

/** The content of a cache. */
export interface DescribedCache {
  /** Default: all resources that no other cache lists. */
  readonly resources?: readonly DescribedResource[] | undefined;
  /** Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
}

/** A console, whose users are authenticated by the API server. */
export interface DescribedConsole {
  readonly port: number;
  /** True if it is served over TLS. */
  readonly isSecure: boolean;
}

/** Description of a runnable, as far as it is known without running it. Absent members are empty. */
export interface RunnableDescription {
  readonly controllers?: readonly DescribedController[] | undefined;
  readonly webhooks?: readonly DescribedWebhook[] | undefined;
  readonly certificates?: DescribedCertificates | undefined;
  readonly caches?: readonly DescribedCache[] | undefined;
  readonly console?: DescribedConsole | undefined;
  /** Permissions in addition to those that follow from the other members. */
  readonly permissions?: readonly Permission[] | undefined;
}
