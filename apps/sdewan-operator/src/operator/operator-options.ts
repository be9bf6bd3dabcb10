import type { Connection, ConnectionSettings } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Manager, MetricsOptions } from "@kubewright/manager";
import type { CnfConnectionOptions, CnfTimeouts } from "../cnf/connect.ts";
import type { EndpointDefaults } from "../cnf/endpoint.ts";
import type { SessionOptions } from "../cnf/session/session.ts";
import type { ConnectTcp } from "../confirm/probes.ts";
import type { OperatorView } from "../panels/operator-view.ts";
import type { Resolve } from "../resolve/resolve.ts";
import type { DriftPolicy } from "../rules/drift-policy.ts";
import type { WebhookSettings } from "./webhook-server.ts";

/** The operator's settings. Every field has a default. The program has flags for most fields. */
export interface OperatorOptions {
  /** Connection to the cluster. Default: the cluster that kubectl would use. */
  readonly connection?: Connection | ConnectionSettings;
  /** Address for the metrics; `"0"` disables them. Default `":8080"`. */
  readonly metricsBindAddress?: string;
  /** Serves metrics over TLS, with the pair in a folder (`tls.crt`, `tls.key`) or a self-signed one. Default: plain HTTP. */
  readonly metricsTls?: NonNullable<MetricsOptions["tls"]>;
  /** Settings for the webhook server. Default: no webhooks. */
  readonly webhooks?: WebhookSettings;
  /** Address of `/healthz` and `/readyz`; `"0"` disables them. Default `"0"`. */
  readonly healthProbeBindAddress?: string;
  /** True to run the controllers only while this process holds the Lease `controller-leader-election-helper`. Default false. */
  readonly leaderElect?: boolean;
  /** Namespace of the Lease. Default: the namespace of this pod. */
  readonly leaderElectionNamespace?: string;
  /** Interval between checks of the CNFs, in milliseconds. Default 30,000. */
  readonly checkIntervalMs?: number;
  /** Scheme and port of CNFs whose pods have no annotation that sets them. Default: https on port 443. */
  readonly cnf?: EndpointDefaults;
  /**
   * Namespaces of the CNFs that a resource may configure: `"same"` (the resource's own namespace), `"*"` (any), or a list (`"a,b"`). A CNF
   * receives the keys in the resources with its purpose, so the Deployments in these namespaces are trusted with keys. Default `"same"`.
   */
  readonly cnfNamespaces?: string | readonly string[];
  /** Limits for a CNF. Default: 5 s to connect, 30 s for a request, 60 s for a restart; 4 MiB for a response. */
  readonly cnfTimeouts?: CnfTimeouts;
  /** Creates the transport for requests to a CNF, for callers that reach CNFs without a network. Default: HTTP(S). */
  readonly cnfTransport?: NonNullable<CnfConnectionOptions["transport"]>;
  /** Policy for changes by others on a CNF: revert them, or only report them. Default `"repair"`. */
  readonly drift?: DriftPolicy;
  /**
   * Time within which a CNF's probes must pass after a change, in milliseconds; otherwise, the change is rolled back. 0 disables
   * confirmation. An annotation on a Deployment overrides this value. Default 0.
   */
  readonly confirmChangesMs?: number;
  /** Opens the connections of TCP probes, for callers without a network. Default: a connection from this process. */
  readonly connectTcp?: ConnectTcp;
  /** Time for which a stage must be in sync and effective before the next stage gets a change, in milliseconds. Default 60,000. */
  readonly soakMs?: number;
  /** Namespace of the CNFStatus `cnf-status`, and of the Secrets with confirmed sets. Default `sdewan-system`. */
  readonly statusNamespace?: string;
  /** Resolver for the DNS names in composites. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Settings that determine how changes to a CNF are collected into batches. */
  readonly session?: SessionOptions;
  /** Called before the manager runs, with the manager and the operator's state, for example to add other servers. */
  readonly prepare?: (manager: Manager, operatorView: OperatorView) => void;
  /** Logger of the operator. Default: silent. */
  readonly logger?: Logger;
  readonly clock?: Clock;
}
