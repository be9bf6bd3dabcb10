import type { DescribedResource, Permission } from "@kubewright/apimachinery";

/** A kind that the program defines. */
export interface DescribedKind extends Omit<DescribedResource, "crd"> {
  /** The definition, such as `Site.crd`. */
  readonly crd: object;
}

/** The properties of a controller that determine its roles: it reads all its kinds, and writes its main kind's status and finalizers. */
export interface DescribedController {
  readonly name: string;
  /** Main kind, which the controller reconciles. */
  readonly for?: DescribedResource | undefined;
  /** True if the controller writes its main kind's status and finalizers. Default: true for kinds that the program defines. */
  readonly writes?: { readonly status: boolean; readonly finalizers: boolean } | undefined;
  readonly owns: readonly DescribedResource[];
  readonly watches: readonly DescribedResource[];
}

/** A webhook that the program serves, and the resource that it handles. */
export interface DescribedWebhook {
  readonly type: "mutating" | "validating" | "conversion";
  /** Path on the server, such as `/mutate-shop-example-com-v1-site`. */
  readonly path: string;
  readonly resource: DescribedResource;
  /** `CREATE`, `UPDATE`, `DELETE` ... Empty for conversions. */
  readonly operations: readonly string[];
}

/** Where the webhooks' certificates are stored, and the names of the objects into which the CA bundle is injected. */
export interface DescribedCertificates {
  readonly secret?: { readonly namespace: string; readonly name: string } | undefined;
  /** Service through which API servers call the program. */
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
  readonly mutatingWebhookConfigurations: readonly string[];
  readonly validatingWebhookConfigurations: readonly string[];
  readonly customResourceDefinitions: readonly string[];
}

/** A cache of the program. Permissions for its resources are granted only in its namespaces. */
export interface DescribedCache {
  /** Resources in the cache. Default: all resources that no other cache lists. */
  readonly resources?: readonly Pick<DescribedResource, "group" | "plural">[] | undefined;
  /** Namespaces of the cache. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
}

/** A console, whose users are authenticated by the API server. */
export interface DescribedConsole {
  readonly port: number;
  /** True if it is served over TLS. */
  readonly isSecure: boolean;
}

/** Describes a program, which need not be running. A manager satisfies this interface. */
export interface ProgramDescription {
  readonly name: string;
  readonly kinds: readonly DescribedKind[];
  readonly controllers: readonly DescribedController[];
  readonly webhooks: readonly DescribedWebhook[];
  /**
   * Webhook configurations, and CRDs with their conversion. They call the service `webhook-service` in the namespace `system`. Both names
   * are replaced when manifests are written. Default: none.
   */
  readonly webhookConfigurations?: readonly object[] | undefined;
  readonly certificates?: DescribedCertificates | undefined;
  /** Permissions that the program declares in addition to those that follow from the rest. */
  readonly permissions: readonly Permission[];
  readonly caches: readonly DescribedCache[];
  /** Leader election, if used. `id`: name of the Lease. */
  readonly leaderElection?: { readonly id: string; readonly namespace?: string | undefined } | undefined;
  /** API group of the Events that the program writes. Undefined if it writes none. */
  readonly events?: "events.k8s.io" | "" | undefined;
  readonly metrics: {
    /** True if the API server authenticates and authorizes readers. */
    readonly isAuthenticated: boolean;
    /** True if metrics are served over TLS. Default false. */
    readonly isSecure?: boolean | undefined;
    /** Port; undefined if metrics are not served. */
    readonly port?: number | undefined;
  };
  /** Server of `/healthz` and `/readyz`, if any. */
  readonly health?: { readonly port: number } | undefined;
  /** Console, if any. The API server authenticates the viewers. */
  readonly console?: DescribedConsole | undefined;
}
