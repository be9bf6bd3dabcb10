import { type DescribedResource, isDns1035Label, type Permission } from "@kubewright/apimachinery";
import type {
  DescribedCache,
  DescribedCertificates,
  DescribedConsole,
  DescribedController,
  DescribedKind,
  DescribedWebhook,
} from "@kubewright/rbac";
import { parseBindAddress } from "./http-server.ts";
import type { LeaderElectionOptions, ShardingOptions } from "./leader-election.ts";
import type { ManagerOptions } from "./manager-options.ts";
import type { RunnableDescription } from "./runnable.ts";

/**
 * Describes a program as far as possible without running it. Roles, manifests and documentation are generated from this
 * description.
 */
export interface ManagerDescription {
  /** Name of the program: the `name` option, otherwise the leader election ID up to its first dot, otherwise `controller`. */
  readonly name: string;
  /**
   * The program's own kinds: kinds that have a CRD and that a controller reconciles, owns or watches, that have webhooks, or that were
   * passed to `defines`.
   */
  readonly kinds: readonly DescribedKind[];
  readonly controllers: readonly DescribedController[];
  readonly webhooks: readonly DescribedWebhook[];
  /** Webhook configurations for API servers, with the service `webhook-service` in the `system` namespace. */
  readonly webhookConfigurations: readonly object[];
  readonly certificates?: DescribedCertificates | undefined;
  /** Permissions declared with `needs`. */
  readonly permissions: readonly Permission[];
  readonly caches: readonly DescribedCache[];
  /** Lease for leader election. `id` is its name. Absent without leader election. */
  readonly leaderElection?: { readonly id: string; readonly namespace?: string | undefined } | undefined;
  /** Namespace of the Leases for sharding, and whether sharding divides namespaces. If so, the program lists them. Absent without sharding. */
  readonly sharding?:
    | { readonly namespace?: string | undefined; readonly byNamespace?: boolean | undefined }
    | undefined;
  /** API group in which the program writes Events. Absent if it writes none. */
  readonly events?: "events.k8s.io" | "" | undefined;
  readonly metrics: {
    /** True if the API server authenticates and authorizes readers of the metrics or profiles. */
    readonly isAuthenticated: boolean;
    readonly isSecure: boolean;
    /** Port of the metrics. Absent if metrics are disabled or served on any free port. */
    readonly port?: number | undefined;
  };
  /** Port of the health probes. Absent if probes are disabled or served on any free port. */
  readonly health?: { readonly port: number } | undefined;
  /** The console. Absent if there is none, or if its port is unknown until it listens. */
  readonly console?: DescribedConsole | undefined;
}

interface DescribedParts {
  readonly options: ManagerOptions;
  readonly runnables: readonly RunnableDescription[];
  readonly permissions: readonly Permission[];
  readonly defined: readonly DescribedResource[];
  readonly webhookConfigurations: readonly object[];
}

/**
 * Returns the name used for a program's objects and in their labels. Services and namespaces are named after it, so only the part of the
 * leader election ID before the first dot is used, and not if it begins with a digit, such as `80807133` in kubebuilder's IDs.
 */
export function programName({ name, leaderElection }: ManagerOptions): string {
  const [label = ""] = leaderElection?.id.split(".", 1) ?? [];
  return name ?? (isDns1035Label(label).length === 0 ? label : "controller");
}

/** Creates the description of a program. @throws {Error} for an invalid address */
export function managerDescription(parts: DescribedParts): ManagerDescription {
  const { options, runnables, permissions, defined, webhookConfigurations } = parts;
  const { leaderElection: election, sharding, metrics = {}, profiling = {}, health = {}, eventsApi } = options;
  const controllers = runnables.flatMap((one) => one.controllers ?? []);
  const webhooks = runnables.flatMap((one) => one.webhooks ?? []);
  const certificates = runnables.map((one) => one.certificates).find((one) => one !== undefined);
  const console = runnables.map((one) => one.console).find((one) => one !== undefined);
  const about = [
    ...controllers.flatMap((one) => one.for ?? []),
    ...webhooks.map(({ resource }) => resource),
    ...controllers.flatMap(({ owns, watches }) => [...owns, ...watches]),
  ];
  const metricsAt = parseBindAddress(metrics.bindAddress ?? ":8080");
  const profilesAt = parseBindAddress(profiling.bindAddress ?? "0");
  const healthAt = parseBindAddress(health.bindAddress ?? "0");
  return {
    name: programName(options),
    kinds: ownKinds([...defined, ...about]),
    controllers,
    webhooks,
    webhookConfigurations,
    ...(certificates ? { certificates } : {}),
    permissions: [...permissions, ...runnables.flatMap((one) => one.permissions ?? [])],
    caches: runnables.flatMap((one) => one.caches ?? []),
    ...(election && !election.lock ? { leaderElection: { id: election.id, namespace: election.namespace } } : {}),
    ...(sharding ? { sharding: shardingOf(sharding, election) } : {}),
    ...(controllers.length > 0 || election ? { events: eventsApi === "v1" ? "" : "events.k8s.io" } : {}),
    metrics: {
      isAuthenticated:
        (metrics.authenticate === true && metricsAt !== undefined) ||
        (profiling.authenticate !== false && profilesAt !== undefined),
      isSecure: metrics.tls !== undefined,
      port: metricsAt?.port || undefined, // with port 0, the actual port is unknown
    },
    ...(healthAt?.port ? { health: { port: healthAt.port } } : {}),
    ...(console && console.port > 0 ? { console } : {}),
  };
}

/** Returns each kind once, in the version that is described first. */
function ownKinds(resources: readonly DescribedResource[]): DescribedKind[] {
  const kinds = new Map<string, DescribedKind>();
  for (const { crd, ...one } of resources) {
    // If two kinds have the same plural, both are returned, so that consumers of the description can reject them.
    const key = `${one.kind} ${one.plural}.${one.group}`;
    if (crd && !kinds.has(key)) kinds.set(key, { ...one, crd });
  }
  return [...kinds.values()];
}

function shardingOf(
  { namespace, shardBy }: ShardingOptions,
  election: LeaderElectionOptions | undefined,
): ManagerDescription["sharding"] {
  return { namespace: namespace ?? election?.namespace, ...(shardBy === "namespace" ? { byNamespace: true } : {}) };
}
