import type { DescribedResource, Permission } from "@kubewright/apimachinery";

/** What a controller reconciles, and whose changes it hears of. */
export interface DescribedController {
  readonly name: string;
  /** What it reconciles. */
  readonly for?: DescribedResource | undefined;
  readonly owns: readonly DescribedResource[];
  readonly watches: readonly DescribedResource[];
}

/** A webhook that is served, and the resource that API servers ask it about. */
export interface DescribedWebhook {
  readonly type: "mutating" | "validating" | "conversion";
  /** Where it is served: `/mutate-shop-example-com-v1-site`. */
  readonly path: string;
  readonly resource: DescribedResource;
  /** `CREATE`, `UPDATE`, `DELETE` ... Conversions have none. */
  readonly operations: readonly string[];
}

/** Where the webhooks' certificates are kept, and what the CA is injected into, by name. */
export interface DescribedCertificates {
  readonly secret?: { readonly namespace: string; readonly name: string } | undefined;
  /** By which API servers call the program. */
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
  readonly mutatingWebhookConfigurations: readonly string[];
  readonly validatingWebhookConfigurations: readonly string[];
  readonly customResourceDefinitions: readonly string[];
}

/** What a cache holds. */
export interface DescribedCache {
  /** Only these resources. Default: all that no other cache names. */
  readonly resources?: readonly DescribedResource[] | undefined;
  /** Only these namespaces. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
}

/** A console: who looks at it is asked for by the API server. */
export interface DescribedConsole {
  readonly port: number;
  /** Whether it is served over TLS. */
  readonly isSecure: boolean;
}

/** What a runnable is, as far as it can be told without running it. What is not there is nothing. */
export interface RunnableDescription {
  readonly controllers?: readonly DescribedController[] | undefined;
  readonly webhooks?: readonly DescribedWebhook[] | undefined;
  readonly certificates?: DescribedCertificates | undefined;
  readonly caches?: readonly DescribedCache[] | undefined;
  readonly console?: DescribedConsole | undefined;
  /** What it needs to be permitted beside what follows from the rest. */
  readonly permissions?: readonly Permission[] | undefined;
}
