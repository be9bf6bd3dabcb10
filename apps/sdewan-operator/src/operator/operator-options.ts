import type { Connection, ConnectionSettings } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Manager, MetricsOptions } from "@kubewright/manager";
import type { CnfConnectionOptions, CnfTimeouts } from "../cnf/connect.ts";
import type { EndpointDefaults } from "../cnf/endpoint.ts";
import type { SessionOptions } from "../cnf/session.ts";
import type { OperatorSight } from "../panels/sight.ts";
import type { Resolve } from "../resolve/resolve.ts";
import type { DriftPolicy } from "../tell/drift-policy.ts";
import type { WebhookSettings } from "./webhook-server.ts";

/** How the operator runs; every field has a default. Its program has most of these as flags. */
export interface OperatorOptions {
  /** Default: the cluster that kubectl would talk to. */
  readonly connection?: Connection | ConnectionSettings;
  /** Where metrics are served, `"0"` for nowhere. Default `":8080"`. */
  readonly metricsBindAddress?: string;
  /** Serves metrics over TLS, with the pair in a folder (`tls.crt`, `tls.key`) or one of this process. Default: plain HTTP. */
  readonly metricsTls?: NonNullable<MetricsOptions["tls"]>;
  /** Default: no webhooks are served. */
  readonly webhooks?: WebhookSettings;
  /** Where `/healthz` and `/readyz` are served, `"0"` for nowhere. Default `"0"`. */
  readonly healthProbeBindAddress?: string;
  /** Work only while this process holds the Lease `controller-leader-election-helper`. Default false. */
  readonly leaderElect?: boolean;
  /** Where the Lease is. Default: the namespace of this pod. */
  readonly leaderElectionNamespace?: string;
  /** Between two checks of the CNFs. Default 30,000 ms. */
  readonly checkIntervalMs?: number;
  /** Where CNFs answer, unless their pods say otherwise. Default https, on its own port. */
  readonly cnf?: EndpointDefaults;
  /**
   * Which CNFs a resource may configure, by their namespaces: `"same"` as its own, `"*"` any, or those of a list (`"a,b"`). A CNF is
   * sent the keys of the resources that name its purpose, so these are the namespaces whose Deployments are trusted with them.
   * Default `"same"`.
   */
  readonly cnfNamespaces?: string | readonly string[];
  /** How long a CNF may take. Default: 5 s to connect, 30 s for a request, 60 s for a restart; 4 MiB of an answer. */
  readonly cnfTimeouts?: CnfTimeouts;
  /** Makes what carries the requests to a CNF, for who has no network between. Default: HTTP(S). */
  readonly cnfTransport?: NonNullable<CnfConnectionOptions["transport"]>;
  /** What somebody else changed on a CNF is put right, or only told of. Default `"repair"`. */
  readonly drift?: DriftPolicy;
  /** Where the CNFStatus `cnf-status` is. Default `sdewan-system`. */
  readonly statusNamespace?: string;
  /** Where the names that composites have get their addresses from. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** How changes of a CNF are gathered. */
  readonly session?: SessionOptions;
  /** Told of the manager before it runs, for what else it is to serve, and of what the operator knows, for who shows it. */
  readonly prepare?: (manager: Manager, sight: OperatorSight) => void;
  /** Default: silent. */
  readonly logger?: Logger;
  readonly clock?: Clock;
}
