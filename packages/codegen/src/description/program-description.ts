import type { Scope } from "@kubewright/apimachinery";

/** A resource as roles name it. */
export interface DescribedResource {
  /** Empty for the core group. */
  readonly group: string;
  /** The plural. */
  readonly plural: string;
  readonly kind: string;
  readonly version: string;
  readonly scope: Scope;
}

/** A kind of the program's own, which is served by a definition. */
export interface DescribedKind extends DescribedResource {
  /** The definition, such as `Site.crd`. */
  readonly crd: object;
}

/** A controller, as far as roles follow from it: it reads all that it names, and writes the status and finalizers of what it is `for`. */
export interface DescribedController {
  readonly name: string;
  /** What it reconciles. */
  readonly for?: DescribedResource | undefined;
  /** Whether it writes the status of that, and its finalizers. Default: both, if the kind is one of the program's own. */
  readonly writes?: { readonly status: boolean; readonly finalizers: boolean } | undefined;
  readonly owns: readonly DescribedResource[];
  readonly watches: readonly DescribedResource[];
}

/** A webhook that the program serves, and the resource that API servers ask it about. */
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

/** A rule as `.needs(Secret, ["get"])` declares it, or as the audit of tests has it. */
export interface Permission {
  readonly group: string;
  /** The plural, and the subresource after a slash, if it is one: `pods/log`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Only objects of these names. Default: all. */
  readonly resourceNames?: readonly string[] | undefined;
  /** Only in this namespace. Default: in all that the program reads. */
  readonly namespace?: string | undefined;
  /** Whether its objects are in namespaces. Default `Namespaced`. */
  readonly scope?: Scope | undefined;
}

/** What a cache of the program holds: what is granted on its resources is granted in its namespaces alone. */
export interface DescribedCache {
  /** Only these resources. Default: all that no other cache names. */
  readonly resources?: readonly Pick<DescribedResource, "group" | "plural">[] | undefined;
  /** Only these namespaces. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
}

/** What a program is, as far as it can be told without running it. A manager satisfies it. */
export interface ProgramDescription {
  readonly name: string;
  readonly kinds: readonly DescribedKind[];
  readonly controllers: readonly DescribedController[];
  readonly webhooks: readonly DescribedWebhook[];
  /**
   * What API servers are to be told of the webhooks: webhook configurations, and definitions with their conversion. Their service is
   * `webhook-service` in the namespace `system`, until they are written. Default: nothing.
   */
  readonly webhookConfigurations?: readonly object[] | undefined;
  readonly certificates?: DescribedCertificates | undefined;
  /** What is declared beside what follows from the rest. */
  readonly permissions: readonly Permission[];
  readonly caches: readonly DescribedCache[];
  /** Absent: no election. `id` is the name of the lease. */
  readonly leaderElection?: { readonly id: string; readonly namespace?: string | undefined } | undefined;
  /** Which API it writes Events to. Absent: it writes none. */
  readonly events?: "events.k8s.io" | "" | undefined;
  readonly metrics: {
    /** Whether readers are authenticated and authorized by the API server. */
    readonly isAuthenticated: boolean;
    /** Whether they are served over TLS. Default false. */
    readonly isSecure?: boolean | undefined;
    /** Absent: they are not served. */
    readonly port?: number | undefined;
  };
  /** Where `/healthz` and `/readyz` are. Absent: nowhere. */
  readonly health?: { readonly port: number } | undefined;
  /** What people look at, once the API server has said who they are. Absent: there is none. */
  readonly console?: { readonly port: number; readonly isSecure: boolean } | undefined;
}
