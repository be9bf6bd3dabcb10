import type { DescribedResource, Permission } from "@kubewright/apimachinery";
import { parseBindAddress } from "./http/bind-address.ts";
import type { ManagerOptions } from "./manager-options.ts";
import type {
  DescribedCache,
  DescribedCertificates,
  DescribedConsole,
  DescribedController,
  DescribedWebhook,
  RunnableDescription,
} from "./runnable/description.ts";

/** A kind that the program serves, with its definition. */
export type DescribedKind = DescribedResource & { readonly crd: object };

/** What a program is, as far as it can be told without running it: what roles, manifests and documentation are written from. */
export interface ManagerDescription {
  /** The option `name`, else the id of leader election, else `controller`. */
  readonly name: string;
  /** The kinds of its own: those with a definition that controllers reconcile, own or watch, webhooks are about, or `defines` names. */
  readonly kinds: readonly DescribedKind[];
  readonly controllers: readonly DescribedController[];
  readonly webhooks: readonly DescribedWebhook[];
  /** What API servers are to be told of the webhooks, behind the service `webhook-service` in the namespace `system`. */
  readonly webhookConfigurations: readonly object[];
  readonly certificates?: DescribedCertificates | undefined;
  /** What is declared by `needs`. */
  readonly permissions: readonly Permission[];
  readonly caches: readonly DescribedCache[];
  /** Absent: no election. `id` is the name of the lease. */
  readonly leaderElection?: { readonly id: string; readonly namespace?: string | undefined } | undefined;
  /** Which API it writes Events to. Absent: it writes none. */
  readonly events?: "events.k8s.io" | "" | undefined;
  readonly metrics: {
    /** Whether readers are authenticated and authorized by the API server: of the metrics, or of profiles. */
    readonly isAuthenticated: boolean;
    readonly isSecure: boolean;
    /** Absent: they are not served, or at whatever port is free. */
    readonly port?: number | undefined;
  };
  /** Absent: there are no probes, or at whatever port is free. */
  readonly health?: { readonly port: number } | undefined;
  /** Absent: there is none, or its port is not known before it listens. */
  readonly console?: DescribedConsole | undefined;
}

interface DescribedParts {
  readonly options: ManagerOptions;
  readonly runnables: readonly RunnableDescription[];
  readonly permissions: readonly Permission[];
  readonly defined: readonly DescribedResource[];
  readonly webhookConfigurations: readonly object[];
}

/** The name that a program's objects carry, and their labels. */
export const programName = ({ name, leaderElection }: ManagerOptions): string =>
  name ?? (leaderElection?.id || "controller");

/** @throws {Error} for an address that is none */
export function managerDescription(parts: DescribedParts): ManagerDescription {
  const { options, runnables, permissions, defined, webhookConfigurations } = parts;
  const { leaderElection: election, metrics = {}, profiling = {}, health = {}, eventsApi } = options;
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
    ...(controllers.length > 0 || election ? { events: eventsApi === "v1" ? "" : "events.k8s.io" } : {}),
    metrics: {
      isAuthenticated:
        (metrics.authenticate === true && metricsAt !== undefined) ||
        (profiling.authenticate !== false && profilesAt !== undefined),
      isSecure: metrics.tls !== undefined,
      port: metricsAt?.port || undefined, // 0 is a port that nobody else knows
    },
    ...(healthAt?.port ? { health: { port: healthAt.port } } : {}),
    ...(console && console.port > 0 ? { console } : {}),
  };
}

/** Once each, the version that is described first. */
function ownKinds(resources: readonly DescribedResource[]): DescribedKind[] {
  const kinds = new Map<string, DescribedKind>();
  for (const { crd, ...one } of resources) {
    // Two kinds of one plural are both told, so that whoever reads it can refuse them.
    const key = `${one.kind} ${one.plural}.${one.group}`;
    if (crd && !kinds.has(key)) kinds.set(key, { ...one, crd });
  }
  return [...kinds.values()];
}
