import type { DescribedResource, Permission } from "@kubewright/apimachinery";

/** A kind that the program defines. */
export interface DescribedKind extends Omit<DescribedResource, "crd"> {
  /** CustomResourceDefinition of the kind, such as `Site.crd`. */
  readonly crd: object;
}

/**
 * The properties of a controller that determine its roles. A controller reads all of its kinds, and writes the status and finalizers of its
 * main kind.
 */
export interface DescribedController {
  readonly name: string;
  /** The main kind, which the controller reconciles. */
  readonly for?: DescribedResource | undefined;
  /**
   * The parts of its main kind that the controller writes: the status, the finalizers, or both. Default: both for kinds
   * that the program defines, otherwise none.
   */
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
  /** Operations for which the webhook is called, such as `CREATE`, `UPDATE` or `DELETE`. Empty for conversions. */
  readonly operations: readonly string[];
}

/** Describes where the webhooks' certificates are stored, and the objects into which the CA bundle is injected. */
export interface DescribedCertificates {
  readonly secret?: { readonly namespace: string; readonly name: string } | undefined;
  /** The Service through which API servers call the program. */
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
  readonly mutatingWebhookConfigurations: readonly string[];
  readonly validatingWebhookConfigurations: readonly string[];
  readonly customResourceDefinitions: readonly string[];
}

/** One of the program's caches. Permissions for the cache's resources are granted only in its namespaces. */
export interface DescribedCache {
  /** Resources in the cache. Default: all resources that no other cache lists. */
  readonly resources?: readonly Pick<DescribedResource, "group" | "plural">[] | undefined;
  /** Namespaces that the cache contains. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
}

/** A console. The API server authenticates its viewers. */
export interface DescribedConsole {
  readonly port: number;
  /** True if the console is served over TLS. */
  readonly isSecure: boolean;
}

/** Describes a program, which need not be running. Implemented by a manager. */
export interface ProgramDescription {
  readonly name: string;
  readonly kinds: readonly DescribedKind[];
  readonly controllers: readonly DescribedController[];
  readonly webhooks: readonly DescribedWebhook[];
  /**
   * Webhook configurations, and CRDs with their conversion. They call the Service `webhook-service` in the `system`
   * namespace; both names are replaced when manifests are written. Default: none.
   */
  readonly webhookConfigurations?: readonly object[] | undefined;
  readonly certificates?: DescribedCertificates | undefined;
  /** Permissions that the program declares, in addition to permissions that are derived from the rest of the description. */
  readonly permissions: readonly Permission[];
  readonly caches: readonly DescribedCache[];
  /** Leader election, if the program uses it. `id` is the name of the Lease. */
  readonly leaderElection?: { readonly id: string; readonly namespace?: string | undefined } | undefined;
  /** Sharding, if the program uses it: the namespace of its Leases, and whether it divides namespaces, which it then lists. */
  readonly sharding?:
    | { readonly namespace?: string | undefined; readonly byNamespace?: boolean | undefined }
    | undefined;
  /** API group of the Events that the program writes. Undefined if it writes none. */
  readonly events?: "events.k8s.io" | "" | undefined;
  readonly metrics: {
    /** True if the API server authenticates and authorizes readers of the metrics. */
    readonly isAuthenticated: boolean;
    /** True if metrics are served over TLS. Default false. */
    readonly isSecure?: boolean | undefined;
    /** Port on which metrics are served; undefined if they are not served. */
    readonly port?: number | undefined;
  };
  /** Server that serves `/healthz` and `/readyz`, if there is one. */
  readonly health?: { readonly port: number } | undefined;
  /** Console of the program, if it has one. */
  readonly console?: DescribedConsole | undefined;
}
